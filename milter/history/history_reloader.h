#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/current.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/options/counter_options.h"
#include "config/options/history_options.h"
#include "milter/features/counter_needs.h"
#include "milter/history/history_recorder.h"

namespace shingled::milter::history {

/// What the history wants to know of the counters of each message: all types that a message can
/// have, in the windows of `options`; nothing if it is off.
/// Threads: stateless.
features::CounterNeeds history_needs(const HistoryOptions& options);

/// The history of a daemon. Opens it when the settings enable it; a reload changes its bounds or
/// ends it. If it cannot be opened, the log has an error line, and mail is served without it until
/// a reload.
/// Threads: `use` and `close` on one thread; the others on any.
class HistoryReloader {
 public:
  HistoryReloader(Clock& clock, Random& random, Logger& logger)
      : clock_(clock), random_(random), logger_(logger) {}

  /// The names in it are made with the key of the counters, which is made if it is not there.
  void use(const HistoryOptions& options, const CounterOptions& counters);
  /// Writes what waits.
  void close() { current_.set(nullptr); }
  [[nodiscard]] const Current<HistoryRecorder>& current() const { return current_; }
  void report(MetricReport& report) const;

 private:
  Result<std::unique_ptr<HistoryRecorder>> open(const HistoryOptions& options,
                                                const CounterOptions& counters);

  Clock& clock_;
  Random& random_;
  Logger& logger_;
  Current<HistoryRecorder> current_;
};

}  // namespace shingled::milter::history
