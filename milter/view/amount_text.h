#pragma once

#include <cstdint>
#include <string>

namespace shingled::milter::view {

// Amounts for people. All are pure.

/// "0.250 ms", "1.5 s", "3 min", "2 h", "5 d".
std::string seconds_text(double seconds);
/// "512 B", "4.0 KiB", "1.5 MiB"
std::string bytes_text(double bytes);
/// "1,234,567"
std::string count_text(std::uint64_t count);

}  // namespace shingled::milter::view
