#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "storage/buckets/bucket_shard.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::storage::buckets {

/// The key of the hash function. It must be random; otherwise strangers could choose names whose
/// hashes collide.
using BucketHashKey = std::array<std::uint8_t, 16>;

/// The buckets of this process in memory: the functions of BucketStore, with the time as argument.
///
/// Bound: `most` buckets, and a few more if the hash spreads them unevenly: each of the kShards
/// shards holds its share and four standard deviations. BucketShard says which bucket is evicted.
/// An evicted bucket begins again as an empty one.
///
/// Threads: any thread. Each shard has a lock; several locks are always taken in the same order.
/// Cost: at most 160 bytes per bucket, for any name; a decision takes under a microsecond.
class BucketTable {
 public:
  static constexpr std::size_t kShards = 64;

  enum class Kept : std::uint8_t {
    kInMemory,
    kInFile,  ///< a BucketFlusher calls `collect` from time to time
  };
  BucketTable(std::size_t most, const BucketHashKey& key, Kept kept = Kept::kInMemory);

  BucketAnswer take(std::span<const BucketDemand> demands, TimePoint now);
  void give_back(std::span<const BucketDemand> demands, const BucketAnswer& answer, TimePoint now);

  // The next four are described at BucketStore.
  /// Not a snapshot: the shards are read one after the other. Each is locked for one or two
  /// milliseconds while it is read.
  [[nodiscard]] std::vector<BucketState> list(std::string_view part, std::size_t most,
                                              TimePoint now) const;
  [[nodiscard]] std::optional<BucketState> show(std::string_view key, TimePoint now) const;
  bool reset(std::string_view key, TimePoint now);
  void set(std::string_view key, const LeakRate& rate, LeakyBucket bucket, TimePoint now);

  /// A row for the file: a bucket whose value in the file is out of date.
  struct Change {
    std::string key;
    LeakRate rate{1, 1};
    LeakyBucket bucket;
  };
  /// Appends the changed buckets in kWalk slots of a shard, from slot `first` on, marks them as
  /// unchanged, and erases the empty ones. Returns the slot to continue with; 0 means the end.
  static constexpr std::size_t kWalk = 512;
  std::size_t collect(std::size_t shard, std::size_t first, TimePoint now,
                      std::vector<Change>& changes);
  /// Marks all buckets as changed, so that `collect` returns them again.
  void mark_all();
  /// Puts a bucket of the file into the table, marked as unchanged.
  void restore(const Change& change, TimePoint now);

  /// The number of buckets, including those that are empty but not yet erased.
  [[nodiscard]] std::size_t size() const;
  /// How many buckets of each type were evicted before they were empty.
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
