#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/settings.h"
#include "milter/api/client/daemon_client.h"
#include "milter/cli/terminal/console.h"
#include "milter/rules/facts.h"

namespace shingled::milter::cli {

/// Further matches of a hit. A packet's answer has room for the best match only, so the API of
/// the local daemon is asked. Without it, or for other servers, nothing is known.
/// Threads: one thread.
/// Cost: one connection for each hit.
class FurtherMatches {
 public:
  FurtherMatches(const Settings& settings, const Clock& clock);

  /// All matches of a hit except the best, best first, as objects with "digest", "exact", "slots",
  /// "prob", "flags", "created", "updated". Null if nothing is known.
  [[nodiscard]] Json of(const rules::Lookup& lookup, const RuleOptions& rule);

 private:
  const std::optional<RemoteOptions> local_;
  api::DaemonClient daemon_;
  bool page_answers_ = true;
};

/// One line of text each: "0123456789  24 of 32 slots  FUZZY_PROB (12) value 3"
std::vector<std::string> further_lines(const Json& further, std::string_view indent);
/// Prints those of all look-ups under a heading that names what was asked. `rules` by
/// Lookup::rule_index.
void print_further(std::span<const rules::Lookup> lookups, std::span<const RuleOptions> rules,
                   FurtherMatches& further, Console& console);

}  // namespace shingled::milter::cli
