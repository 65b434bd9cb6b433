#pragma once

#include <atomic>

#include "config/base/clock.h"

namespace shingled {

/// Lets the first of something through at once, and then one in each interval: for lines in the log
/// that an event would repeat too often.
/// Threads: any thread, without waiting; of several that come at the same time one passes.
class AtMostEvery {
 public:
  explicit AtMostEvery(Duration interval) : interval_(interval) {}

  /// True: this one passes.
  bool pass(TimePoint now) noexcept {
    const Duration::rep moment = now.time_since_epoch().count();
    Duration::rep due = due_.load(std::memory_order_relaxed);
    return moment >= due && due_.compare_exchange_strong(due, moment + interval_.count());
  }
  /// The one that passed came to nothing: the next one passes.
  void give_back() noexcept { due_.store(Duration::min().count(), std::memory_order_relaxed); }

 private:
  const Duration interval_;
  std::atomic<Duration::rep> due_{Duration::min().count()};
};

}  // namespace shingled
