#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/options/flag_map.h"
#include "milter/terminal/console.h"
#include "milter/view/amount_text.h"

namespace shingled::milter::view {

/// The sum of a metric's samples in a page of /stat; nullopt if it is missing or not a number.
std::optional<double> page_total(const Json& page, const std::string& metric);

/// A page of /stat for people: state and uptime, the lists with their names, then each metric that
/// is not zero, in sections by the first word of its name.
std::vector<std::string> status_lines(const Json& page, const FlagMap& flags);

}  // namespace shingled::milter::view
