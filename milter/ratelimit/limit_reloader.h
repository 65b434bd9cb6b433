#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/current.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/metrics/metric_report.h"
#include "config/options/ratelimit_options.h"
#include "config/watched_files.h"
#include "milter/ratelimit/mail_limiter.h"

namespace shingled::milter::ratelimit {

/// Reads the list files that section `ratelimit` names, again if they have changed
/// (config/watched_files.h).
/// Threads: one thread.
class LimitLists {
 public:
  /// A file that has never been valid.
  struct Fault {
    std::string option;  ///< the option with this file: "ratelimit.whitelisted_ip"
    Error error;         ///< with the path
  };

  explicit LimitLists(Logger& logger) : files_(parse, logger) {}

  /// Returns the options with the contents of their files added. Call `accept` when they are in
  /// force.
  /// Errors: the first file that has never been valid, with option, path and line.
  Result<MailLimitOptions> read(const MailLimitOptions& options);
  /// All invalid files of the last `read`.
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  void accept() { files_.accept(); }
  /// Whether a file has changed since it was read.
  [[nodiscard]] bool changed() const { return files_.changed(); }

 private:
  struct Content {
    std::vector<Network> networks;
    std::vector<std::string> recipients;
  };
  enum class Kind : std::uint8_t { kNetworks, kRecipients };
  using Files = config::WatchedFiles<Kind, Content>;

  static Result<Files::Parsed> parse(Kind kind, const std::string& path);

  Files files_;
  std::vector<Fault> faults_;
};

/// The limits of a daemon. Makes a limiter from the settings and their list files, and a new one if
/// they change; the buckets stay.
/// Threads: `use`, `refresh` and `close` on one thread; the others on any.
class LimitReloader {
 public:
  LimitReloader(Clock& clock, Random& random, Logger& logger)
      : clock_(clock), random_(random), logger_(logger), lists_(logger) {}

  /// Applies settings. Opens the buckets the first time that a limit is set; their place (file or
  /// servers) does not change any more.
  /// Errors: of a list file or of the buckets; then the old limits stay in force.
  Status use(const MailLimitOptions& options);
  /// What `use` puts in force, in two steps: `prepare` does all that can fail and changes nothing.
  struct Prepared {
    MailLimitOptions options;   ///< as given
    MailLimitOptions complete;  ///< with the contents of list files
    std::shared_ptr<storage::buckets::BucketStore> store;
  };
  [[nodiscard]] Result<Prepared> prepare(const MailLimitOptions& options);
  void use(Prepared prepared);
  /// Applies changed list files; true if the limits were made anew. Call it about once a second.
  bool refresh();
  /// Ends the limits for new messages and releases the buckets; buckets with a file are written to
  /// it.
  void close();

  [[nodiscard]] const Current<const MailLimiter>& current() const { return current_; }
  /// The buckets; null until a limit is set for the first time, and after `close`.
  [[nodiscard]] std::shared_ptr<storage::buckets::BucketStore> store() const {
    return *store_.lock();
  }
  void report(MetricReport& report) const;

 private:
  Clock& clock_;
  Random& random_;
  Logger& logger_;
  LimitLists lists_;
  LimitCounters counters_;
  MailLimitOptions options_;  // without the contents of list files
  mutable Guarded<std::shared_ptr<storage::buckets::BucketStore>> store_;
  Current<const MailLimiter> current_;
};

}  // namespace shingled::milter::ratelimit
