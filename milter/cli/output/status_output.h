#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/options/flag_map.h"
#include "milter/cli/terminal/console.h"

namespace shingled::milter::cli {

/// The sum of a metric's samples in a page of /stat; nullopt if it is missing or not a number.
std::optional<double> page_total(const Json& page, const std::string& metric);

/// A page of /stat for people: state and uptime, the lists with their names, then each metric that
/// is not zero, in sections by the first word of its name.
std::vector<std::string> status_lines(const Json& page, const FlagMap& flags);

/// "0.250 ms", "1.5 s", "3 min", "2 h", "5 d".
std::string seconds_text(double seconds);
/// "512 B", "4.0 KiB", "1.5 MiB"
std::string bytes_text(double bytes);

}  // namespace shingled::milter::cli
