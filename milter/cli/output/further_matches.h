#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/settings.h"
#include "milter/api/client/daemon_client.h"
#include "milter/cli/access/printing.h"
#include "milter/desk/further_matches.h"
#include "milter/rules/facts.h"

namespace shingled::milter::cli {

/// One line of text each: "0123456789  24 of 32 slots  FUZZY_PROB (12) value 3"
std::vector<std::string> further_lines(const Json& further, std::string_view indent);
/// Prints those of all look-ups under a heading that names what was asked. `rules` by
/// Lookup::rule_index.
void print_further(std::span<const rules::Lookup> lookups, std::span<const RuleOptions> rules,
                   desk::FurtherMatches& further, Console& console);

}  // namespace shingled::milter::cli
