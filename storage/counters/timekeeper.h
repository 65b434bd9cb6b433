#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "storage/counters/counter.h"

namespace shingled::storage::counters {

/// The time of the counters. It is the time of day, except where that cannot be right:
///
/// - It does not go back by less than a day. If the clock is set back, the counters continue with
/// their
///   own time, so that no period is counted twice and each is ten minutes long.
/// - If the clock goes back by a day or more, it was wrong before: the counters follow it.
/// - If it jumps ahead by more than an hour, or a process starts more than two days after the one
///   before ended, the counters follow it, too, so that new mail is counted where people look for
///   it; but nothing is deleted or summed up because of its age until a day has passed on the new
///   time. If the clock is set right meanwhile, all is still there.
///
/// Threads: one thread at a time.
class Timekeeper {
 public:
  /// What a restart needs.
  struct State {
    std::int64_t wall = 0;           ///< Unix seconds of the counters' time; 0 = there is none yet
    std::int64_t doubted_until = 0;  ///< Unix seconds; 0 = not doubted
    friend bool operator==(const State&, const State&) = default;
  };

  explicit Timekeeper(const State& state) : state_(state) {}

  /// The counters' time. `wall` and `steady` are read together.
  WallTime now(WallTime wall, TimePoint steady);
  /// Whether what is too old by the last `now` may be deleted.
  [[nodiscard]] bool may_expire() const { return state_.doubted_until == 0; }
  [[nodiscard]] const State& state() const { return state_; }

 private:
  State state_;
  std::optional<TimePoint> steady_;  ///< of state_.wall; nullopt before the first `now`
};

/// The time of the counters, for all who share it.
/// Threads: any thread.
class CounterClock {
 public:
  /// `clock` must outlive it.
  CounterClock(const Clock& clock, const Timekeeper::State& state)
      : clock_(clock), time_(std::in_place, state) {}

  [[nodiscard]] Slot present_slot() {
    return slot_of(time_.lock()->now(clock_.wall(), clock_.now()));
  }
  [[nodiscard]] bool may_expire() { return time_.lock()->may_expire(); }
  [[nodiscard]] Timekeeper::State state() { return time_.lock()->state(); }

 private:
  const Clock& clock_;
  Guarded<Timekeeper> time_;
};

}  // namespace shingled::storage::counters
