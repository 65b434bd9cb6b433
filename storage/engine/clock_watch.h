#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "config/base/clock.h"
#include "storage/model/replica.h"

namespace shingled::storage::engine {

/// Decides whether the wall clock can be believed. A clock that was set far ahead, perhaps only for
/// a moment, would make all records look expired.
///
/// It computes from the elapsed time what the clock should show. A time up to kClockSkewSeconds
/// ahead of that is believed. A time further ahead is believed only after the clock has run on like
/// that for kProof; this also delays a machine that slept or was off for days. An earlier time is
/// believed at once: then nothing expires. But what is taught meanwhile gets the time that `time`
/// tells, so that it is not too old when the clock is right again.
/// Threads: one thread.
class ClockWatch {
 public:
  static constexpr std::chrono::hours kProof{24};

  /// `known`: the latest time that can be believed without proof, `latest`: the time of the newest
  /// record, both in Unix seconds.
  ClockWatch(std::uint32_t known, std::uint32_t latest, TimePoint now)
      : known_{known, now}, latest_{latest, now} {}

  /// `wall`: what the clock shows at `now`, in Unix seconds. False: do not use it yet.
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
  /// The time for what is taught at `now`: that of the clock, even if it is ahead (a hash then
  /// lives longer, not shorter); but if it is more than kClockSkewSeconds before the newest record,
  /// what it should show by that.
  [[nodiscard]] std::uint32_t time(std::uint32_t wall, TimePoint now) const {
    const std::int64_t latest = latest_.expected(now);
    const bool behind = std::int64_t{wall} + kClockSkewSeconds < latest;
    return behind ? static_cast<std::uint32_t>(latest) : wall;
  }
  /// What has expired by this time has expired by any that can be right.
  [[nodiscard]] std::uint32_t certain(TimePoint now) const {
    return static_cast<std::uint32_t>(
        std::min<std::int64_t>(known_.expected(now) + kClockSkewSeconds, UINT32_MAX));
  }
  /// By how many seconds the clock was ahead when it was last doubted.
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
  Reading latest_;
  std::optional<Reading> doubted_;
  std::int64_t ahead_ = 0;
};

}  // namespace shingled::storage::engine
