#pragma once

#include "config/base/clock.h"

namespace shingled::milter::filter {

/// A clock moved by hand. It stands still, so nothing in a test depends on how long it takes.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return now_; }
  [[nodiscard]] WallTime wall() const override {
    return WallTime(std::chrono::seconds(1'700'000'000));
  }
  void advance(Duration by) { now_ += by; }

 private:
  TimePoint now_{};
};

}  // namespace shingled::milter::filter
