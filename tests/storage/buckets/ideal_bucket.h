#pragma once

#include <algorithm>
#include <deque>
#include <utility>

#include "config/base/clock.h"

namespace shingled::testing {

/// A queue of drops in whole nanoseconds: the drops of each message that have not leaked yet, in
/// the order in which they came.
class IdealBucket {
 public:
  IdealBucket(Duration room, TimePoint start) : room_(room), now_(start) {}

  bool try_add(int message, Duration amount, TimePoint now) {
    leak(now);
    Duration sum = amount;
    for (const auto& [who, left] : queue_) sum += left;
    if (sum > room_) return false;
    queue_.emplace_back(message, amount);
    return true;
  }
  void give_back(int message, TimePoint now) {
    leak(now);
    std::erase_if(queue_, [&](const auto& drop) { return drop.first == message; });
  }
  Duration level(TimePoint now) {
    leak(now);
    Duration sum{};
    for (const auto& [who, left] : queue_) sum += left;
    return sum;
  }

 private:
  void leak(TimePoint now) {
    Duration passed = now - now_;
    now_ = now;
    while (!queue_.empty() && passed > Duration::zero()) {
      const Duration part = std::min(passed, queue_.front().second);
      queue_.front().second -= part;
      passed -= part;
      if (queue_.front().second == Duration::zero()) queue_.pop_front();
    }
  }

  const Duration room_;
  TimePoint now_;
  std::deque<std::pair<int, Duration>> queue_;
};

}  // namespace shingled::testing
