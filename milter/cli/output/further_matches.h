#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/options/settings.h"
#include "milter/cli/access/status_page.h"
#include "milter/cli/terminal/console.h"
#include "milter/rules/facts.h"

namespace shingled::milter::cli {

/// What the local daemon stores besides the best match: a packet's answer has room for one only, so
/// its status page is asked. Without such a page, or for servers elsewhere, nothing is known.
/// Threads: one thread.
/// Cost: a connection for each look-up that is a hit.
class FurtherMatches {
 public:
  FurtherMatches(const Settings& settings, const Clock& clock);

  /// All matches of a hit but the one it names, best first, as objects with "digest", "exact",
  /// "slots", "prob", "flags", "created", "updated". Null where nothing is known.
  [[nodiscard]] Json of(const rules::Lookup& lookup, const RuleOptions& rule);

 private:
  const std::optional<RemoteOptions> local_;
  StatusPage page_;
  bool page_answers_ = true;
};

/// For people, a line each: "0123456789  24 of 32 slots  FUZZY_PROB (12) value 3"
std::vector<std::string> further_lines(const Json& further, std::string_view indent);
/// Prints those of all look-ups under a heading that names what was asked. `rules` by
/// Lookup::rule_index.
void print_further(std::span<const rules::Lookup> lookups, std::span<const RuleOptions> rules,
                   FurtherMatches& further, Console& console);

}  // namespace shingled::milter::cli
