#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "config/base/clock.h"
#include "storage/model/plausible_time.h"

namespace shingled::storage::engine {

/// Tells a wall clock that runs on from one that was moved far ahead, perhaps for a moment: by what
/// it shows, everything there is may have expired.
///
/// A value. It knows what the clock should show by the time that has passed. More than
/// kClockSkewSeconds ahead of that it is believed only once it has run on like that for kProof; a
/// machine that slept, or was off for days, waits so long, too. Behind it is believed at once.
/// Threads: one thread.
class ClockWatch {
 public:
  static constexpr std::chrono::hours kProof{1};

  /// `known` in Unix seconds: the latest time that is known to have been.
  ClockWatch(std::uint32_t known, TimePoint now) : known_{known, now} {}

  bool believes(std::uint32_t wall, TimePoint now) {
    if (wall <= known_.expected(now) + kClockSkewSeconds) {
      known_ = {wall, now};
      doubted_.reset();
      return true;
    }
    const bool runs_on = doubted_ && wall >= doubted_->expected(now) - kClockSkewSeconds &&
                         wall <= doubted_->expected(now) + kClockSkewSeconds;
    if (!runs_on) {
      ahead_ = wall - known_.expected(now);
      doubted_ = Reading{wall, now};
    }
    if (now - doubted_->at < kProof) return false;
    known_ = {wall, now};
    doubted_.reset();
    return true;
  }
  /// Seconds, of the clock that was doubted last.
  [[nodiscard]] std::int64_t ahead() const { return ahead_; }

 private:
  struct Reading {
    std::int64_t wall = 0;
    TimePoint at;
    [[nodiscard]] std::int64_t expected(TimePoint now) const {
      return wall + std::chrono::duration_cast<std::chrono::seconds>(now - at).count();
    }
  };

  Reading known_;
  std::optional<Reading> doubted_;
  std::int64_t ahead_ = 0;
};

}  // namespace shingled::storage::engine
