#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/result.h"

namespace shingled::storage::redis {

/// Whether a database is away, by the outcomes of the exchanges with it. The log has one line when
/// it goes away and one when it is back.
///
/// An outcome says nothing about what came after its exchange began. So a success counts only if
/// nothing failed since, and a failure does not begin an outage if the database went away and came
/// back since. While one server of a cluster is away, exchanges with the others succeed; so the
/// outage of a cluster ends when none has failed for kClusterQuiet. After a failed write only a
/// write shows that the database is back: a server may answer that may not write, or has no memory
/// or replicas.
/// Threads: any thread.
class Reachability {
 public:
  static constexpr std::chrono::seconds kClusterQuiet{5};

  /// Names of the lines of the log, and what happens in between.
  struct Lines {
    std::string_view away;
    std::string_view back;
    std::string_view meanwhile;
  };
  /// What was known when an exchange began.
  struct Moment {
    std::uint64_t failures = 0;
    std::uint64_t changes = 0;
  };
  enum class Kind : std::uint8_t { kRead, kWrite };

  /// Clock, logger and the texts of `lines` must outlive it.
  Reachability(bool is_cluster, const Lines& lines, const Clock& clock, Logger& logger)
      : is_cluster_(is_cluster), lines_(lines), clock_(clock), logger_(logger) {}

  /// To be called before an exchange.
  [[nodiscard]] Moment begin() const;
  /// Records the outcome of an exchange that began at `begun`.
  void record(Moment begun, Kind kind, const Status& outcome);

  [[nodiscard]] bool is_away() const { return state_.lock()->away; }
  /// How many exchanges failed.
  [[nodiscard]] std::uint64_t failures() const { return state_.lock()->known.failures; }

 private:
  struct State {
    Moment known;
    bool away = false;
    bool refuses_writes = false;  ///< no write has succeeded since one failed
    TimePoint failed{};           ///< the last failure
  };

  /// Each returns whether the database went away or came back by it.
  bool fail(State& state, Moment begun, Kind kind) const;
  bool succeed(State& state, Moment begun, Kind kind) const;

  const bool is_cluster_;
  const Lines lines_;
  const Clock& clock_;
  Logger& logger_;
  mutable Guarded<State> state_;
};

}  // namespace shingled::storage::redis
