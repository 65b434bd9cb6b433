#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/rule_options.h"
#include "milter/cli/access/printing.h"
#include "milter/desk/servers/service_failure.h"
#include "milter/rules/facts.h"
#include "milter/view/scan_json.h"

namespace shingled::milter::cli {

using view::flags_json;
using view::symbol_of;

/// One look-up with all keys of `check --json` and `scan --json`: view::lookup_json() with "error"
/// in words.
Json lookup_json(const rules::Lookup& lookup, const RuleOptions& rule);

/// The look-ups as aligned lines under a heading; `rules` by Lookup::rule_index.
std::vector<std::string> lookup_lines(std::span<const rules::Lookup> lookups,
                                      std::span<const RuleOptions> rules, std::string_view indent);

/// Reports failures, each once, and returns the worst exit code.
int report_failures(std::string_view file, std::span<const rules::Lookup> lookups,
                    Console& console);
/// The same for a whole message; look-ups that were not made are EX_DATAERR.
int report_unknown(std::string_view file, const rules::Facts& facts, Console& console);

}  // namespace shingled::milter::cli
