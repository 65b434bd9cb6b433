#pragma once

#include <chrono>
#include <cstdint>

namespace shingled {

using TimePoint = std::chrono::steady_clock::time_point;  ///< for deadlines and durations
using WallTime = std::chrono::sys_seconds;                ///< Unix seconds, for what is stored
using Duration = std::chrono::steady_clock::duration;

/// As files and packets have them: 32 bits, which last until 2106.
constexpr std::uint32_t unix_seconds(WallTime time) {
  return static_cast<std::uint32_t>(time.time_since_epoch().count());
}

/// Where time comes from. Only the rim (main, threads) owns one; pure code takes `now` as an
/// argument.
/// Threads: any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint now() const = 0;
  [[nodiscard]] virtual WallTime wall() const = 0;
};

/// The machine's clocks.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override;
  [[nodiscard]] WallTime wall() const override;
};

}  // namespace shingled
