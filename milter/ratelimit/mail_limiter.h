#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/metrics/metric_report.h"
#include "milter/ratelimit/limit_demands.h"
#include "mime/fingerprint/secret_hash.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::ratelimit {

/// What the limits did since the start, by type of buckets. Bound: as many types as settings named.
/// Threads: any thread.
/// Cost: one lock a decision.
class LimitCounters {
 public:
  enum class Event : std::uint8_t {
    kTaken,      ///< a drop went into a bucket
    kRefused,    ///< a bucket was full: put off, or would have been
    kMarked,     ///< a bucket was over its burst: the message got the symbol
    kGivenBack,  ///< a drop of a message that was not accepted
  };

  void count(std::string_view type, Event event, std::uint64_t times = 1);
  void report(MetricReport& report) const;

 private:
  static constexpr std::size_t kEvents = 4;
  using Counts = std::array<std::uint64_t, kEvents>;
  mutable Guarded<std::map<std::string, Counts, std::less<>>> by_type_;
};

/// The limits in force: settings with their lists, and the buckets. One immutable snapshot; a
/// reload makes a new one over the same buckets.
/// Threads: any thread.
class MailLimiter {
 public:
  /// `options`: with what is in their files. `counters` must outlive it, `store` need not: a
  /// session that nobody ends at shutdown must not keep the buckets open.
  MailLimiter(MailLimitOptions options, std::weak_ptr<storage::buckets::BucketStore> store,
              const Clock& clock, LimitCounters& counters);

  /// Whether mail of that client meets any limit.
  [[nodiscard]] bool limits(const std::optional<IpAddress>& client) const;
  /// A recipient that is never limited.
  [[nodiscard]] bool spares(const EnvelopeAddress& recipient) const;

  [[nodiscard]] const MailLimitOptions& options() const { return options_; }
  /// Null when it is gone: then nothing is limited.
  [[nodiscard]] std::shared_ptr<storage::buckets::BucketStore> store() const {
    return store_.lock();
  }
  [[nodiscard]] LimitCounters& counters() const { return counters_; }
  /// Until when the buckets may let a message wait.
  [[nodiscard]] TimePoint deadline() const { return clock_.now() + options_.redis.timeout; }

 private:
  const MailLimitOptions options_;
  const std::unordered_set<std::string, TextHash> spared_;
  const std::weak_ptr<storage::buckets::BucketStore> store_;
  const Clock& clock_;
  LimitCounters& counters_;
};

/// Where sessions find the limiter in force; null = no limits.
/// Threads: any thread.
class CurrentLimiter {
 public:
  [[nodiscard]] std::shared_ptr<const MailLimiter> get() const { return *limiter_.lock(); }
  void set(std::shared_ptr<const MailLimiter> limiter) { limiter.swap(*limiter_.lock()); }

 private:
  mutable Guarded<std::shared_ptr<const MailLimiter>> limiter_;
};

}  // namespace shingled::milter::ratelimit
