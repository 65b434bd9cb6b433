#include "milter/cli/output/lookup_output.h"

#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "milter/cli/access/printing.h"

namespace shingled::milter::cli {

namespace {

constexpr std::size_t kShortDigest = 10;  // as in X-Shingled-Result and rspamd's symbol options

std::span<const storage::FlagValue> flags_of(const storage::Match& match) {
  return {match.flags.data(), std::min<std::size_t>(match.flag_count, match.flags.size())};
}

std::string short_hex(const Digest& digest) { return to_hex(digest.bytes).substr(0, kShortDigest); }

TableRow lookup_row(const rules::Lookup& lookup, const RuleOptions& rule) {
  TableRow row = {lookup.hash.part.empty() ? "-" : lookup.hash.part,
                  std::string(mime::to_string(lookup.hash.kind)),
                  short_hex(lookup.hash.fingerprint.digest),
                  lookup.rule,
                  lookup.server,
                  desk::milliseconds_text(lookup.time) + " ms"};
  if (lookup.outcome != rules::Lookup::Outcome::kHit) {
    const std::string outcome(rules::to_string(lookup.outcome));
    row.push_back(lookup.failed() ? "unknown (" + outcome + ")" : outcome);
    return row;
  }
  std::string lists;
  for (const auto& [flag, value] : flags_of(lookup.match)) {
    lists += fmt::format("{}{} ({}) value {}", lists.empty() ? "" : ", ", symbol_of(rule, flag),
                         flag, value);
  }
  row.push_back(std::move(lists));
  row.push_back(fmt::format("prob {:.2f}", lookup.probability));
  row.push_back(lookup.match.exact
                    ? "same digest"
                    : fmt::format("{} of {} slots", lookup.match.slots, kShingleCount));
  row.push_back(short_hex(lookup.match.digest));
  return row;
}

}  // namespace

Json lookup_json(const rules::Lookup& lookup, const RuleOptions& rule) {
  Json object = view::lookup_json(lookup, rule);
  if (const auto failure = desk::failure_of(lookup)) object["error"] = failure->explain();
  return object;
}

std::vector<std::string> lookup_lines(std::span<const rules::Lookup> lookups,
                                      std::span<const RuleOptions> rules, std::string_view indent) {
  std::vector<TableRow> rows = {{"part", "kind", "asked", "rule", "server", "time", "answer"}};
  for (const rules::Lookup& lookup : lookups)
    rows.push_back(lookup_row(lookup, rules[lookup.rule_index]));
  return table_lines(rows, indent);
}

int report_failures(std::string_view file, std::span<const rules::Lookup> lookups,
                    Console& console) {
  int worst = EX_OK;
  std::vector<std::string> reported;
  for (const rules::Lookup& lookup : lookups) {
    const auto failure = desk::failure_of(lookup);
    if (!failure) continue;
    worst = worse_exit_code(worst, failure->exit_code());
    std::string text = failure->explain();
    if (std::find(reported.begin(), reported.end(), text) != reported.end()) continue;
    console.error(file, text);
    reported.push_back(std::move(text));
  }
  return worst;
}

int report_unknown(std::string_view file, const rules::Facts& facts, Console& console) {
  const int failed = report_failures(file, facts.lookups, console);
  if (facts.unasked == 0) return failed;
  console.error(file, fmt::format("{} of {} look-ups not made: milter.lookups_max is reached",
                                  facts.unasked, facts.lookups.size() + facts.unasked));
  return worse_exit_code(failed, EX_DATAERR);
}

}  // namespace shingled::milter::cli
