#include "milter/cli/output/further_matches.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "milter/api/match_question.h"
#include "milter/cli/access/daemon_choice.h"
#include "milter/cli/access/server_choice.h"
#include "milter/cli/output/lookup_output.h"

namespace shingled::milter::cli {

namespace {

std::optional<RemoteOptions> local_or_nothing(const Settings& settings) {
  const auto local = local_service(settings.storage);
  return local ? std::optional(*local) : std::nullopt;
}

/// The daemon names lists by number; the rule knows their symbols.
void name_symbols(Json& match, const RuleOptions& rule) {
  for (Json& flag : match["flags"]) {
    if (!flag.is_object()) continue;
    const auto number = flag.value("flag", std::uint32_t{0});
    flag = {{"flag", number},
            {"symbol", symbol_of(rule, number)},
            {"value", flag.value("value", std::int64_t{0})}};
  }
}

}  // namespace

FurtherMatches::FurtherMatches(const Settings& settings, const Clock& clock)
    : local_(local_or_nothing(settings)), daemon_(daemon_of(settings, clock)) {}

Json FurtherMatches::of(const rules::Lookup& lookup, const RuleOptions& rule) {
  const bool is_local =
      local_ && (!rule.remote.is_remote() || local_->to_read() == rule.remote.to_read());
  if (lookup.outcome != rules::Lookup::Outcome::kHit || !is_local || !page_answers_) return nullptr;
  auto page = daemon_.get("/api/1/hashes/matches?" + api::match_question(lookup.hash.fingerprint));
  page_answers_ = page.has_value();
  if (!page_answers_) return nullptr;
  const std::string named = to_hex(lookup.match.digest.bytes);
  Json further = Json::array();
  for (Json& match : (*page)["matches"]) {
    if (!match.is_object() || match.value("digest", std::string()) == named) continue;
    name_symbols(match, rule);
    further.push_back(std::move(match));
  }
  return further;
}

std::vector<std::string> further_lines(const Json& further, std::string_view indent) {
  constexpr std::size_t kDigitsShown = 10;
  std::vector<TableRow> rows;
  for (const Json& match : further) {
    std::string lists;
    for (const Json& flag : match.at("flags")) {
      lists += fmt::format(
          "{}{} ({}) value {}", lists.empty() ? "" : ", ", flag.at("symbol").get<std::string>(),
          flag.at("flag").get<std::uint32_t>(), flag.at("value").get<std::int64_t>());
    }
    rows.push_back({match.value("digest", std::string()).substr(0, kDigitsShown),
                    fmt::format("{} of {} slots", match.value("slots", 0U), kShingleCount),
                    std::move(lists)});
  }
  return table_lines(rows, indent);
}

void print_further(std::span<const rules::Lookup> lookups, std::span<const RuleOptions> rules,
                   FurtherMatches& further, Console& console) {
  for (const rules::Lookup& lookup : lookups) {
    const Json matches = further.of(lookup, rules[lookup.rule_index]);
    if (!matches.is_array() || matches.empty()) continue;
    console.line(fmt::format("  {} ({}) also matches",
                             lookup.hash.part.empty() ? "-" : lookup.hash.part,
                             mime::to_string(lookup.hash.kind)));
    for (const std::string& line : further_lines(matches, "    ")) console.line(line);
  }
}

}  // namespace shingled::milter::cli
