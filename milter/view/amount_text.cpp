#include "milter/view/amount_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace shingled::milter::view {

std::string seconds_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.3f} ms", seconds * 1000);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", std::floor(seconds / 60));
  if (seconds < 2 * 86'400) return fmt::format("{:.0f} h", std::floor(seconds / 3600));
  return fmt::format("{:.0f} d", std::floor(seconds / 86'400));
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string count_text(std::uint64_t count) {
  std::string out = std::to_string(count);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

std::string age_text(std::chrono::seconds age) {
  struct Unit {
    std::int64_t seconds;
    const char* name;
  };
  constexpr Unit kUnits[] = {{86'400, "d"}, {3'600, "h"}, {60, "min"}};
  const std::int64_t seconds = std::max<std::int64_t>(0, age.count());
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.seconds) return fmt::format("{} {}", seconds / unit.seconds, unit.name);
  }
  return fmt::format("{} s", seconds);
}

std::string moment_text(std::uint32_t unix_seconds, WallTime now) {
  const std::time_t time = unix_seconds;
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC, {} ago", fmt::gmtime(time),
                     age_text(now - WallTime(std::chrono::seconds(unix_seconds))));
}

}  // namespace shingled::milter::view
