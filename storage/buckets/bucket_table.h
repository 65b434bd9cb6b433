#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/guarded.h"
#include "storage/buckets/bucket_shard.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::storage::buckets {

/// From a random source, or strangers could choose names that share a place in the table.
using BucketHashKey = std::array<std::uint8_t, 16>;

/// The buckets of this process, in memory: BucketStore without a clock.
///
/// Bound: `most` buckets, and a few more where the hash spreads them unevenly: each of the kShards
/// parts holds its share and four standard deviations. Who is evicted: see BucketShard. A bucket
/// that was evicted begins anew as an empty one.
///
/// Threads: any thread, on one lock a part; who needs several takes them in one order.
/// Cost: at most 160 bytes a bucket, whatever its name; a decision takes under a microsecond.
class BucketTable {
 public:
  static constexpr std::size_t kShards = 64;

  enum class Kept : std::uint8_t {
    kInMemory,
    kInFile,  ///< somebody calls `collect` from time to time
  };
  BucketTable(std::size_t most, const BucketHashKey& key, Kept kept = Kept::kInMemory);

  BucketAnswer take(std::span<const BucketDemand> demands, TimePoint now);
  void give_back(std::span<const BucketDemand> demands, const BucketAnswer& answer, TimePoint now);

  /// See BucketStore. The list is one of as many moments as there are parts, each of which waits a
  /// millisecond or two while it is read.
  [[nodiscard]] std::vector<BucketState> list(std::string_view part, std::size_t most,
                                              TimePoint now) const;
  [[nodiscard]] std::optional<BucketState> show(std::string_view key, TimePoint now) const;
  bool reset(std::string_view key, TimePoint now);
  void set(std::string_view key, const LeakRate& rate, LeakyBucket bucket, TimePoint now);

  /// A row of the file: a bucket that is not there as it is here.
  struct Change {
    std::string key;
    LeakRate rate{1, 1};
    LeakyBucket bucket;
  };
  /// Appends what changed in a part since it was last asked, and forgets that it changed; empty
  /// buckets go. Looks at kWalk places of it; gives the number to go on with, 0 = that was all.
  static constexpr std::size_t kWalk = 512;
  std::size_t collect(std::size_t shard, std::size_t first, TimePoint now,
                      std::vector<Change>& changes);
  /// All of them are to be collected again.
  void mark_all();
  /// Puts back what the file has.
  void restore(const Change& change, TimePoint now);

  /// Buckets here, also those that got empty a moment ago.
  [[nodiscard]] std::size_t size() const;
  /// Buckets that were not empty when others took their place, by type.
  [[nodiscard]] std::map<std::string, std::uint64_t> evictions() const {
    return *evictions_.lock();
  }

 private:
  struct alignas(64) Shard : Guarded<BucketShard> {
    explicit Shard(std::size_t most) : Guarded<BucketShard>(std::in_place, most) {}
  };
  struct Want;
  using Wants = std::vector<Want>;

  [[nodiscard]] std::uint64_t hash_of(std::string_view key) const;
  [[nodiscard]] Guarded<BucketShard>& shard(std::uint64_t hash) const {
    return *shards_[hash / kPerShard];
  }
  bool fill(Wants& wants, BucketAnswer& answer, TimePoint now) const;
  void write(Wants& wants, TimePoint now);
  void put(BucketShard& shard, std::uint32_t hash, const BucketDemand& what, LeakyBucket bucket,
           TimePoint now);
  void mark_lowered(BucketRecord record) const;
  void note_eviction(const BucketShard& shard);

  static constexpr std::uint64_t kPerShard = (~std::uint64_t{0} / kShards) + 1;

  const BucketHashKey key_;
  const Kept kept_;
  std::vector<std::unique_ptr<Shard>> shards_;
  mutable Guarded<std::map<std::string, std::uint64_t>> evictions_;
};

}  // namespace shingled::storage::buckets
