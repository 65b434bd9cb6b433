#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "milter/ratelimit/limit_lists.h"
#include "milter/ratelimit/mail_limiter.h"

namespace shingled::milter::ratelimit {

/// The limits of a daemon: makes the limiter from the settings and the files they name, anew
/// whenever one of them changes; the buckets go on.
///
/// Threads: `use`, `refresh` and `close` on one thread; the others from any.
class LimitReloader {
 public:
  LimitReloader(Clock& clock, Random& random, Logger& logger)
      : clock_(clock), random_(random), logger_(logger), lists_(logger) {}

  /// Takes over settings. Opens the buckets the first time that something is limited; where they
  /// are is then fixed.
  /// Errors: a list file, the file of the buckets; all stays as it is.
  Status use(const MailLimitOptions& options);
  /// Looks whether list files changed. Meant for every second or so.
  void refresh();
  /// Sessions find no limits any more; the buckets are let go, and written where they have a file.
  void close();

  [[nodiscard]] const CurrentLimiter& current() const { return current_; }
  /// The buckets; null while nothing was ever limited.
  [[nodiscard]] std::shared_ptr<storage::buckets::BucketStore> store() const {
    return *store_.lock();
  }
  void report(MetricReport& report) const;

 private:
  Status open_store(const MailLimitOptions& options);

  Clock& clock_;
  Random& random_;
  Logger& logger_;
  LimitLists lists_;
  LimitCounters counters_;
  MailLimitOptions options_;  // as given, without what is in files
  mutable Guarded<std::shared_ptr<storage::buckets::BucketStore>> store_;
  CurrentLimiter current_;
};

}  // namespace shingled::milter::ratelimit
