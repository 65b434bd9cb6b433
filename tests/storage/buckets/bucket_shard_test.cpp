#include "storage/buckets/bucket_shard.h"

#include <gtest/gtest.h>

namespace shingled::storage::buckets {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr TimePoint kNow{hours(1)};
const LeakRate kRate(1, 100'000);

std::string name(std::size_t i) { return "user:" + std::to_string(i); }

/// A bucket that is fuller the larger `i` is.
LeakyBucket bucket(std::size_t i) { return LeakyBucket(kNow + seconds(1 + i)); }

// As if an attacker had found names with the same hash. Without a bound a look-up would read all of
// them.
TEST(BucketShard, BoundsTheNumberOfBucketsWithTheSameHash) {
  constexpr std::size_t kNames = 3 * BucketShard::kRunMax;
  BucketShard shard(1'000'000);
  for (std::size_t i = 0; i < kNames; ++i) shard.insert(7, name(i), bucket(i), kRate, kNow);
  EXPECT_EQ(shard.size(), BucketShard::kRunMax);
  EXPECT_EQ(shard.evictions(), kNames - BucketShard::kRunMax) << "and they are counted";
  EXPECT_EQ(shard.evicted_type(), "user");
  for (std::size_t i = 0; i < kNames; ++i) {
    const bool stays = i >= kNames - BucketShard::kRunMax;
    ASSERT_EQ(shard.find(7, name(i)) != 0, stays) << "the emptiest go, and " << i << " is not";
  }
}

TEST(BucketShard, KeepsBucketsWithAnotherHash) {
  BucketShard shard(1'000'000);
  shard.insert(9, "other", bucket(1'000'000), kRate, kNow);
  for (std::size_t i = 0; i < 3 * BucketShard::kRunMax; ++i)
    shard.insert(7, name(i), bucket(i), kRate, kNow);
  EXPECT_NE(shard.find(9, "other"), 0U);
}

}  // namespace
}  // namespace shingled::storage::buckets
