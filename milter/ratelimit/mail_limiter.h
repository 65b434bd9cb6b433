#pragma once

#include <array>
#include <cstdint>
#include <functional>
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

/// Counts the events of the limits since the start, by bucket type. Bound: one entry for each type
/// that was in the settings.
/// Threads: any thread.
/// Cost: one lock for each event.
class LimitCounters {
 public:
  enum class Event : std::uint8_t {
    kTaken,      ///< a drop went into a bucket
    kRefused,    ///< a bucket was full: the mail was deferred, or would have been
    kMarked,     ///< a bucket was above its burst: the message got the symbol
    kGivenBack,  ///< a drop of a message that was not accepted was given back
  };

  void count(std::string_view type, Event event, std::uint64_t times = 1);
  void report(MetricReport& report) const;

 private:
  static constexpr std::size_t kEvents = 4;
  using Counts = std::array<std::uint64_t, kEvents>;
  mutable Guarded<std::map<std::string, Counts, std::less<>>> by_type_;
};

/// The limits in force: settings with their lists, and the buckets. It is an immutable snapshot; a
/// reload makes a new one with the same buckets.
/// Threads: any thread.
class MailLimiter {
 public:
  /// `options`: with the contents of the list files. `counters` must outlive it. `store` need not,
  /// so that a session that is still open at the shutdown does not keep the buckets open.
  MailLimiter(MailLimitOptions options, std::weak_ptr<storage::buckets::BucketStore> store,
              const Clock& clock, LimitCounters& counters);

  /// Whether any limit applies to mail of this client.
  [[nodiscard]] bool limits(const std::optional<IpAddress>& client) const;
  /// Whether the limits never apply to this recipient.
  [[nodiscard]] bool spares(const EnvelopeAddress& recipient) const;

  [[nodiscard]] const MailLimitOptions& options() const { return options_; }
  /// Null after it was closed: then nothing is limited.
  [[nodiscard]] std::shared_ptr<storage::buckets::BucketStore> store() const {
    return store_.lock();
  }
  [[nodiscard]] LimitCounters& counters() const { return counters_; }
  /// The time until which a message that asks now may wait for the buckets.
  [[nodiscard]] TimePoint deadline() const { return clock_.now() + options_.redis.timeout; }

 private:
  const MailLimitOptions options_;
  const std::unordered_set<std::string, TextHash> spared_;
  const std::weak_ptr<storage::buckets::BucketStore> store_;
  const Clock& clock_;
  LimitCounters& counters_;
};

}  // namespace shingled::milter::ratelimit
