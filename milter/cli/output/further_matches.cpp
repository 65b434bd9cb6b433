#include "milter/cli/output/further_matches.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "milter/api/system/match_question.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/output/lookup_output.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/servers/server_choice.h"

namespace shingled::milter::cli {

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
                   desk::FurtherMatches& further, Console& console) {
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
