#include "storage/counters/timekeeper.h"

#include <algorithm>
#include <chrono>

namespace shingled::storage::counters {

namespace {

constexpr std::int64_t kDaySeconds = 86'400;
/// Later than the process before ended, which may have been for a weekend.
constexpr std::int64_t kStartAheadMax = 2 * kDaySeconds;
/// Ahead of what has passed in this process. A machine that slept is so, too.
constexpr std::int64_t kJumpMax = 3600;

}  // namespace

WallTime Timekeeper::now(WallTime wall, TimePoint steady) {
  const std::int64_t wanted = std::max<std::int64_t>(wall.time_since_epoch().count(), 0);
  const bool is_first_ever = state_.wall == 0 && !steady_;
  const std::int64_t ahead_max = steady_ ? kJumpMax : kStartAheadMax;
  std::int64_t expected = state_.wall;
  if (steady_) {
    const auto passed = std::chrono::floor<std::chrono::seconds>(steady - *steady_);
    expected += passed.count();
    *steady_ += passed;  // the rest of a second counts for the next time
  } else {
    steady_ = steady;
  }
  if (is_first_ever) {
    state_.wall = wanted;
    return WallTime(std::chrono::seconds(wanted));
  }
  const bool has_passed = std::max(wanted, expected) >= state_.doubted_until;
  if (wanted > expected + ahead_max) {
    state_.doubted_until = wanted + kDaySeconds;
  } else if (wanted <= expected - kDaySeconds || has_passed) {
    state_.doubted_until = 0;
  }
  const bool follows = wanted >= expected || wanted <= expected - kDaySeconds;
  state_.wall = follows ? wanted : expected;
  return WallTime(std::chrono::seconds(state_.wall));
}

}  // namespace shingled::storage::counters
