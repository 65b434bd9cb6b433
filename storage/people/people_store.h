#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "storage/people/statement.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::storage::people {

/// What people say of mail, by the signs of the messages. Unlike a counter it knows who said it, so
/// a person counts once over any window, and can take it back.
///
/// Statements are few and dear: they are kept for a year (`counters.keep_reports`).
/// Threads: any thread.
/// Source:  design, reports: people.
class PeopleStore {
 public:
  virtual ~PeopleStore() = default;

  /// Keeps a statement; an earlier one of the same person on the same message is gone. What
  /// returns without an error survives the end of the process. Signs beyond kSignsMax are left out.
  /// Errors: kUnavailable, kTimeout; then the old or the new statement stands, or signs of both.
  virtual Status say(const Statement& statement, TimePoint deadline) = 0;

  /// Takes back what a person said of a message; nothing happens if they said nothing.
  /// Errors: as `say`.
  virtual Status withdraw(std::uint64_t message, std::uint64_t person, TimePoint deadline) = 0;

  /// The voices of each sign, at most kVoicesMax, of newcomers at most kNewcomerVoicesMax.
  /// Errors: kUnavailable, kTimeout: nothing is known.
  virtual Result<std::vector<Voices>> ask(std::span<const std::uint64_t> signs,
                                          TimePoint deadline) = 0;

  virtual void report(MetricReport& report) const = 0;
};

}  // namespace shingled::storage::people
