#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/leaky_bucket.h"
#include "config/base/result.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::storage::buckets {

inline constexpr std::size_t kBucketKeyMax = 120;  ///< bytes of a key
inline constexpr std::size_t kBucketTypeMax = 32;  ///< bytes of the type in a key
inline constexpr std::size_t kBucketPartMax = 56;  ///< bytes of a part in a key
inline constexpr std::size_t kNoBucketTag = ~0UL;  ///< no part is the tag

/// Makes the name of a bucket, `TYPE:PART:PART...`. It consists of printable ASCII without blanks,
/// for any bytes in the parts.
///
/// A byte that is a control byte, a blank, above 0x7e or one of `% : { } ~` is written `%XX`. If a
/// part (or the type) is then too long, it is cut and ends in `~` and 26 characters: 128 bits of
/// BLAKE2b of the whole part. A key that is too long is shortened in the same way. `~` is used for
/// nothing else, so different types and parts have different keys, unless somebody finds two texts
/// with the same 128 bits.
///
/// The part number `tag` is put in braces and is never cut off. In a Redis cluster keys with the
/// same text in braces are on one server, so a script can change them together. Choose the part
/// that the buckets of a message share (the recipient, where limits are per recipient).
///
/// Threads: stateless.
/// Cost: O(input), and one hash for each part or key that is too long.
std::string make_bucket_key(std::string_view type, std::span<const std::string_view> parts,
                            std::size_t tag = kNoBucketTag);

/// The type of a key that `make_bucket_key` made.
std::string_view bucket_type(std::string_view key);

/// The largest number of bursts that a bucket can be made to hold (BucketDemand::bursts).
inline constexpr double kBurstsMax = 8;

/// What a message puts into one bucket. The key is a view.
struct BucketDemand {
  std::string_view key;  ///< from make_bucket_key; only the first kBucketKeyMax bytes count
  /// The rate of this bucket. A changed rate holds from now on, so two rates need two keys.
  LeakRate rate;
  double amount = 1;
  /// How many bursts fit, 1 to kBurstsMax.
  double bursts = 1;

  [[nodiscard]] LeakRate limit() const { return rate.holding(bursts); }
};

/// One bucket after a decision.
struct BucketLevel {
  double drops = 0;
  std::int64_t end = 0;   ///< for `give_back`: when the bucket will be empty, in the store's time
  std::uint32_t era = 0;  ///< for `give_back`: tells whether the drops are still at `end`
};

/// The decision about the demands of one message.
struct BucketAnswer {
  bool taken = true;           ///< whether all demands fitted; if not, no bucket was changed
  bool fallback = false;       ///< the local table decided, because Redis is away
  std::size_t refused_by = 0;  ///< if not taken: the demand that has to wait longest
  Duration wait{};             ///< if not taken: time until that demand fits; max() means never
  std::int64_t at = 0;         ///< for `give_back`: the moment of `take`, in the store's time
  std::vector<BucketLevel> levels;  ///< for each demand its bucket after the decision
};

/// A bucket as `list` and `show` return it.
struct BucketState {
  std::string key;
  LeakRate rate{1, 1};  ///< the rate of the last demand
  Duration empty_in{};

  [[nodiscard]] double drops() const { return rate.amount_in(empty_in); }
};

/// The order of `list`: the bucket that needs longest to get empty comes first.
struct IsFuller {
  bool operator()(const BucketState& a, const BucketState& b) const {
    return a.empty_in > b.empty_in;
  }
};

/// Leaky buckets by name, shared by all threads or by all daemons.
///
/// Law: within any time t a bucket takes at most burst + leak * t (LeakyBucket), not counting what
/// was given back; and a demand that fits is never refused. An empty bucket is the same as a bucket
/// that does not exist.
/// Threads: any thread.
class BucketStore {
 public:
  virtual ~BucketStore() = default;

  /// Takes all demands or none. A key may occur several times. Returns by the deadline, even if
  /// Redis is away.
  virtual BucketAnswer take(std::span<const BucketDemand> demands, TimePoint deadline) = 0;
  /// Removes the drops of a message that was refused or given up, as far as they have not leaked.
  /// `answer` is the result of `take` for exactly these demands; if they were not taken, nothing
  /// happens. The drops of a bucket leak in the order in which they came. If nothing else was given
  /// back since `take`, exactly those of this message that are left are removed. If something was,
  /// up to as much as leaked since `take` may stay. Never removes more than the message brought.
  /// Buckets that cannot be reached are left as they are.
  virtual void give_back(std::span<const BucketDemand> demands, const BucketAnswer& answer,
                         TimePoint deadline) = 0;

  /// At most `most` buckets that are not empty and have `part` in their names, in the order of
  /// IsFuller.
  virtual Result<std::vector<BucketState>> list(std::string_view part, std::size_t most,
                                                TimePoint deadline) = 0;
  /// Returns nullopt if the bucket is empty.
  virtual Result<std::optional<BucketState>> show(std::string_view key, TimePoint deadline) = 0;
  /// Empties a bucket. Returns false if it was already empty.
  virtual Result<bool> reset(std::string_view key, TimePoint deadline) = 0;
  /// Makes a bucket hold `drops`, at most its burst.
  virtual Status set(std::string_view key, const LeakRate& rate, double drops,
                     TimePoint deadline) = 0;

  /// Reports the metrics. Does not wait for a disk or a peer.
  virtual void report(MetricReport& report) const = 0;
};

}  // namespace shingled::storage::buckets
