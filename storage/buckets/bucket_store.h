#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/leaky_bucket.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/ratelimit_options.h"
#include "storage/buckets/bucket_key.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::storage::buckets {

/// The most bursts that a bucket holds where it is not to refuse at one.
inline constexpr double kBurstsMax = 8;

/// What a message puts into one bucket. Lent.
struct BucketDemand {
  std::string_view key;  ///< of bucket_key.h; longer ones count by their first kBucketKeyMax bytes
  /// Of this bucket. One that changed holds from now on, so two laws need two keys.
  LeakRate rate;
  double amount = 1;
  /// How many bursts fit, 1 to kBurstsMax.
  double bursts = 1;

  [[nodiscard]] LeakRate limit() const { return rate.holding(bursts); }
};

/// One bucket after a decision.
struct BucketLevel {
  double drops = 0;
  std::int64_t end = 0;   ///< for `give_back`: where its drops stood, in the store's time
  std::uint32_t era = 0;  ///< for `give_back`: whether they still stand there
};

/// What became of the demands of one message.
struct BucketAnswer {
  bool taken = true;                ///< all of them fitted; else nothing was put anywhere
  bool fallback = false;            ///< said by the local table, because Redis is away
  std::size_t refused_by = 0;       ///< not taken: the demand that has to wait longest
  Duration wait{};                  ///< not taken: till that one would fit; Duration::max() = never
  std::int64_t at = 0;              ///< for `give_back`: when, in the store's time
  std::vector<BucketLevel> levels;  ///< a bucket a demand: as it stands now
};

/// A bucket for those who look.
struct BucketState {
  std::string key;
  LeakRate rate{1, 1};  ///< of the last demand
  Duration empty_in{};

  [[nodiscard]] double drops() const { return rate.amount_in(empty_in); }
};

/// The order of a list of buckets.
struct IsFuller {
  bool operator()(const BucketState& a, const BucketState& b) const {
    return a.empty_in > b.empty_in;
  }
};

/// Leaky buckets by name, shared by all threads or by all daemons.
///
/// Law: what a bucket took within any time t, less what was given back, is never more than burst +
/// leak * t (LeakyBucket); and nothing is refused that fits. A bucket that is empty is like one
/// that never was.
/// Threads: any thread.
class BucketStore {
 public:
  virtual ~BucketStore() = default;

  /// All or nothing. A key may come several times. Ends by the deadline, whoever is away.
  virtual BucketAnswer take(std::span<const BucketDemand> demands, TimePoint deadline) = 0;
  /// The message was refused or given up: takes out again what is left of its drops. The drops of a
  /// bucket leak in the order they came; so if nothing else was given back meanwhile, it is as
  /// if it had never come, or what has leaked of it is gone. If something was, up to as much as
  /// leaked since it came may stay. Never more than it brought. `answer` is what `take` said of
  /// just these demands; one that was not taken is no harm. What cannot be reached is let be.
  virtual void give_back(std::span<const BucketDemand> demands, const BucketAnswer& answer,
                         TimePoint deadline) = 0;

  /// Buckets that are not empty and have `part` in their names, fullest (by time) first.
  virtual Result<std::vector<BucketState>> list(std::string_view part, std::size_t most,
                                                TimePoint deadline) = 0;
  /// Nothing for one that is empty.
  virtual Result<std::optional<BucketState>> show(std::string_view key, TimePoint deadline) = 0;
  /// Empties a bucket. False: it was empty.
  virtual Result<bool> reset(std::string_view key, TimePoint deadline) = 0;
  /// Makes a bucket hold so much, its burst at most.
  virtual Status set(std::string_view key, const LeakRate& rate, double drops,
                     TimePoint deadline) = 0;

  /// Tells what it has measured. Does not wait for a disk or a peer.
  virtual void report(MetricReport& report) const = 0;
};

/// The buckets that section `ratelimit` asks for: those of this process, kept in `file`, or those
/// in Redis. Clock, random source and logger must outlive them.
/// Errors: those of EmbeddedBuckets::open; none when no server is there: it may come.
Result<std::unique_ptr<BucketStore>> open_buckets(const MailLimitOptions& options, Clock& clock,
                                                  Random& random, Logger& logger);

}  // namespace shingled::storage::buckets
