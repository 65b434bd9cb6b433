#pragma once

#include <atomic>
#include <cstdint>

#include "config/base/clock.h"

namespace shingled::testing {

/// A clock that only moves when a test calls `advance`.
/// Threads: any thread.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override {
    return TimePoint(std::chrono::seconds(1)) + Duration(passed_.load());
  }
  [[nodiscard]] WallTime wall() const override {
    return WallTime(std::chrono::seconds(1'700'000'000)) +
           std::chrono::duration_cast<std::chrono::seconds>(Duration(passed_.load()));
  }
  void advance(Duration by) { passed_ += by.count(); }
  [[nodiscard]] std::uint32_t unix_seconds() const {
    return static_cast<std::uint32_t>(wall().time_since_epoch().count());
  }

 private:
  std::atomic<Duration::rep> passed_{0};
};

}  // namespace shingled::testing
