#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "config/base/clock.h"

namespace shingled::milter::view {

// Amounts for people. All are pure.

/// "0.250 ms", "1.5 s", "3 min", "2 h", "5 d".
std::string seconds_text(double seconds);
/// "512 B", "4.0 KiB", "1.5 MiB"
std::string bytes_text(double bytes);
/// "1,234,567"
std::string count_text(std::uint64_t count);

/// Age in the largest unit that gives at least 1: "5 s", "12 min", "4 h", "90 d".
std::string age_text(std::chrono::seconds age);

/// "2026-11-21 09:23:47 UTC, 3 d ago"
std::string moment_text(std::uint32_t unix_seconds, WallTime now);

}  // namespace shingled::milter::view
