#include "storage/buckets/bucket_table.h"

#include <gtest/gtest.h>

#include <thread>

namespace shingled::storage::buckets {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kStart{hours(1)};
constexpr BucketHashKey kKey{1, 2, 3};
const LeakRate kOneASecond(1, 3);

using Demands = std::vector<BucketDemand>;

BucketAnswer take(BucketTable& table, const Demands& demands, TimePoint now = kStart) {
  return table.take(demands, now);
}
void give_back(BucketTable& table, const Demands& demands, const BucketAnswer& answer,
               TimePoint now = kStart) {
  table.give_back(demands, answer, now);
}
double drops(const BucketTable& table, std::string_view key, TimePoint now = kStart) {
  const auto state = table.show(key, now);
  return state ? state->drops() : 0;
}
/// How many times a demand fits at once.
int fitting(BucketTable& table, const BucketDemand& what, TimePoint now = kStart) {
  int count = 0;
  while (count < 10'000 && table.take({&what, 1}, now).taken) ++count;
  return count;
}

TEST(BucketTable, TakesAllOrNothing) {
  BucketTable table(1000, kKey);
  const Demands both = {{"a", kOneASecond}, {"b", LeakRate(1, 2)}};
  EXPECT_TRUE(take(table, both).taken);
  EXPECT_TRUE(take(table, both).taken);
  const BucketAnswer refused = take(table, both);
  EXPECT_FALSE(refused.taken);
  EXPECT_EQ(refused.refused_by, 1U);
  EXPECT_EQ(refused.wait, seconds(1));
  EXPECT_EQ(refused.levels[0].drops, 2);
  EXPECT_EQ(refused.levels[1].drops, 2);
  EXPECT_EQ(drops(table, "a"), 2) << "the demand that fits is not taken either";
  EXPECT_TRUE(take(table, both, kStart + seconds(1)).taken);
}

TEST(BucketTable, NamesTheDemandThatHasToWaitLongest) {
  const struct {
    const char* why;
    Demands demands;
    std::size_t refused_by;
    Duration wait;
  } kCases[] = {
      {"the slower one", {{"s", LeakRate(1, 1), 2}, {"t", LeakRate(1, 1)}}, 0, Duration::max()},
      {"of two that wait", {{"u", LeakRate(2, 1)}, {"v", LeakRate(0.5, 1)}}, 1, seconds(2)},
      {"in the other order", {{"v", LeakRate(0.5, 1)}, {"u", LeakRate(2, 1)}}, 0, seconds(2)},
      {"never fits", {{"w", LeakRate(100, 5), 5.5}}, 0, Duration::max()},
  };
  for (const auto& c : kCases) {
    BucketTable table(1000, kKey);
    for (const BucketDemand& each : c.demands) (void)table.take({&each, 1}, kStart);
    const BucketAnswer answer = take(table, c.demands);
    EXPECT_FALSE(answer.taken) << c.why;
    EXPECT_EQ(answer.refused_by, c.refused_by) << c.why;
    EXPECT_EQ(answer.wait, c.wait) << c.why;
  }
}

TEST(BucketTable, CountsAKeyThatComesTwiceTwice) {
  BucketTable table(1000, kKey);
  const Demands twice = {{"a", kOneASecond}, {"b", kOneASecond}, {"a", kOneASecond}};
  const BucketAnswer first = take(table, twice);
  EXPECT_TRUE(first.taken);
  EXPECT_EQ(drops(table, "a"), 2);
  const BucketAnswer second = take(table, twice);
  EXPECT_FALSE(second.taken);
  EXPECT_EQ(second.refused_by, 2U);
  EXPECT_EQ(second.levels[2].drops, 2) << "the level without the demand that did not fit";
  give_back(table, twice, first, kStart + milliseconds(500));
  EXPECT_EQ(drops(table, "a", kStart + milliseconds(500)), 0);
  EXPECT_EQ(drops(table, "b", kStart + milliseconds(500)), 0);
}

TEST(BucketTable, DropsEmptyBucketsAndKeepsTheOthers) {
  BucketTable table(100'000, kKey);
  const Demands slow = {{"slow", LeakRate(0.001, 5)}};
  EXPECT_TRUE(take(table, slow).taken);
  TimePoint now = kStart;
  for (int i = 0; i < 100'000; ++i) {
    const std::string name = "n" + std::to_string(i);
    EXPECT_TRUE(take(table, {{name, LeakRate(1000, 5)}}, now += milliseconds(1)).taken);
  }
  EXPECT_LT(table.size(), 2000U) << "each insertion sweeps out more buckets than it adds";
  EXPECT_EQ(drops(table, "slow", now), 0.9);
  EXPECT_TRUE(table.evictions().empty());
}

TEST(BucketTable, IsBoundedAndEvictsTheEmptierBuckets) {
  constexpr std::size_t kMost = 6400;
  BucketTable table(kMost, kKey);
  // A hundred buckets that are nearly full, then a flood of buckets with one drop each.
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(take(table, {{"to:big" + std::to_string(i), LeakRate(0.001, 100), 90}}).taken);
  for (int i = 0; i < 50'000; ++i) {
    const std::string name = "from:" + std::to_string(i);
    EXPECT_TRUE(take(table, {{name, LeakRate(0.001, 100)}}).taken);
  }
  EXPECT_LE(table.size(), kMost + 64 * 41);
  EXPECT_GE(table.size(), kMost);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(drops(table, "to:big" + std::to_string(i)), 90)
        << "a full bucket must not be evicted";
  const auto evictions = table.evictions();
  ASSERT_EQ(evictions.size(), 1U);
  EXPECT_EQ(evictions.at("from"), 50'000 + 100 - table.size());
}

TEST(BucketTable, FindsEachBucketAmongAnyOthers) {
  BucketTable table(1'000'000, kKey);
  const auto name = [](int i) {
    return std::string(static_cast<std::size_t>(1 + i % 119), 'k') + std::to_string(i % 10);
  };
  std::map<std::string, int> count;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1190; ++i) {
      const std::string key = name(i);
      EXPECT_TRUE(take(table, {{key, LeakRate(1, 1e6), 1}}).taken);
      ++count[key.substr(0, kBucketKeyMax)];
    }
  }
  for (const auto& [key, n] : count) EXPECT_EQ(drops(table, key), n) << key;
}

TEST(BucketTable, LosesNothingWhenItsMemoryIsCompacted) {
  BucketTable table(1'000'000, kKey);
  TimePoint now = kStart;
  const Demands kept = {{"kept", LeakRate(1e-4, 5)}};
  EXPECT_TRUE(take(table, kept).taken);
  // Each generation has longer names and is gone before the next one, so no freed place fits.
  for (std::size_t length = 10; length <= 120; length += 10) {
    for (int i = 0; i < 60'000; ++i) {
      std::string name = std::to_string(i);
      name.resize(length, 'x');
      ASSERT_TRUE(take(table, {{name, LeakRate(1, 5)}}, now).taken);
    }
    now += seconds(2);
  }
  EXPECT_NEAR(drops(table, "kept", now), 1 - 24e-4, 1e-9);
}

TEST(BucketTable, GivesBack) {
  const LeakRate rate(1, 10);
  const Demands a = {{"x", rate, 5}};
  const Demands b = {{"x", rate, 1}};
  const auto at = [](int s) { return kStart + seconds(s); };
  {
    BucketTable table(1000, kKey);
    const BucketAnswer answer = take(table, a, at(0));
    give_back(table, a, answer, at(2));
    EXPECT_EQ(drops(table, "x", at(2)), 0) << "as if it had never come";
  }
  {
    BucketTable table(1000, kKey);
    const BucketAnswer answer = take(table, a, at(0));
    (void)take(table, b, at(3));
    give_back(table, a, answer, at(4));
    EXPECT_EQ(drops(table, "x", at(4)), 1)
        << "four of five drops have leaked, the one left is of `b`";
  }
  {
    BucketTable table(1000, kKey);
    const BucketAnswer answer = take(table, a, at(0));
    (void)take(table, b, at(6));
    give_back(table, a, answer, at(6));
    EXPECT_EQ(drops(table, "x", at(6)), 1) << "all of its drops have leaked";
  }
  {
    BucketTable table(1000, kKey);
    const BucketAnswer answer = take(table, a, at(0));
    give_back(table, a, answer, at(0));
    (void)take(table, b, at(0));
    give_back(table, a, answer, at(0));
    EXPECT_LE(drops(table, "x", at(0)), 1) << "even twice removes no more than it brought";
  }
  {
    BucketTable table(1000, kKey);
    const BucketAnswer answer = take(table, a, at(0));
    EXPECT_TRUE(table.reset("x", at(0)));
    (void)take(table, b, at(0));
    give_back(table, a, answer, at(0));
    EXPECT_EQ(drops(table, "x", at(0)), 1) << "its drops were in a bucket that was reset";
  }
  {
    BucketTable table(1000, kKey);
    (void)take(table, a, at(0));
    (void)take(table, a, at(0));
    const BucketAnswer refused = take(table, b, at(0));
    EXPECT_FALSE(refused.taken);
    give_back(table, b, refused, at(0));
    EXPECT_EQ(drops(table, "x", at(0)), 10) << "a refused demand cannot be given back";
  }
}

TEST(BucketTable, ListsTheFullestFirst) {
  BucketTable table(1000, kKey);
  for (int i = 1; i <= 9; ++i) {
    const std::string name = (i % 2 == 0 ? "to:" : "from:") + std::to_string(i);
    (void)take(table, {{name, LeakRate(1, 10), static_cast<double>(i)}});
  }
  const auto all = table.list("", 4, kStart + milliseconds(1500));
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].key, "from:9");
  EXPECT_EQ(all[0].drops(), 7.5);
  EXPECT_EQ(all[0].rate, LeakRate(1, 10));
  EXPECT_EQ(all[3].key, "to:6");
  EXPECT_EQ(table.list("to:", 100, kStart).size(), 4U);
  EXPECT_EQ(table.list("to:", 100, kStart + seconds(5)).size(), 2U)
      << "empty buckets are not listed";
  EXPECT_TRUE(table.list("", 0, kStart).empty());
  EXPECT_TRUE(table.list("nobody", 9, kStart).empty());
}

TEST(BucketTable, IsSetAndReset) {
  BucketTable table(1000, kKey);
  EXPECT_FALSE(table.reset("a", kStart));
  table.set("a", kOneASecond, LeakyBucket(kStart + seconds(2)), kStart);
  EXPECT_EQ(drops(table, "a"), 2);
  EXPECT_EQ(fitting(table, {"a", kOneASecond}), 1);
  table.set("a", kOneASecond, LeakyBucket(kStart + hours(9)), kStart);
  EXPECT_EQ(drops(table, "a"), 3) << "not more than it holds";
  EXPECT_TRUE(table.reset("a", kStart));
  EXPECT_FALSE(table.reset("a", kStart));
  EXPECT_EQ(fitting(table, {"a", kOneASecond}), 3);
}

TEST(BucketTable, LocksNobodyOutWhenTheRateChangesOrTheClockWasWrong) {
  BucketTable table(1000, kKey);
  table.restore({"a", kOneASecond, LeakyBucket(kStart + hours(24 * 365))}, kStart);
  EXPECT_FALSE(take(table, {{"a", kOneASecond}}).taken);
  EXPECT_EQ(drops(table, "a"), 3);
  EXPECT_TRUE(take(table, {{"a", kOneASecond}}, kStart + seconds(1)).taken);
}

TEST(BucketTable, CollectsEachChangeOnce) {
  BucketTable table(1000, kKey, BucketTable::Kept::kInFile);
  const auto collect = [&](TimePoint now) {
    std::vector<BucketTable::Change> changes;
    for (std::size_t shard = 0; shard < BucketTable::kShards; ++shard) {
      std::size_t at = 0;
      do at = table.collect(shard, at, now, changes);
      while (at != 0);
    }
    return changes;
  };
  for (int i = 0; i < 100; ++i) (void)take(table, {{"k" + std::to_string(i), LeakRate(0.1, 5)}});
  EXPECT_EQ(collect(kStart).size(), 100U);
  EXPECT_TRUE(collect(kStart).empty());
  (void)take(table, {{"k7", LeakRate(0.1, 5)}});
  const auto changes = collect(kStart);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].key, "k7");
  EXPECT_EQ(changes[0].bucket.empty_at(), kStart + seconds(20));
  table.reset("k8", kStart);
  ASSERT_EQ(collect(kStart).size(), 1U) << "an empty bucket for which the file has a higher value";
  EXPECT_EQ(table.size(), 99U);
  table.mark_all();
  EXPECT_EQ(collect(kStart).size(), 99U);
  EXPECT_TRUE(collect(kStart + seconds(30)).empty());
  EXPECT_EQ(table.size(), 0U);
}

TEST(BucketTable, IsExactForSeveralThreads) {
  BucketTable table(100'000, kKey, BucketTable::Kept::kInFile);
  constexpr int kThreads = 4;
  constexpr int kTries = 4000;
  const LeakRate shared(1, 1000);
  std::atomic<int> passed{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::vector<BucketTable::Change> changes;
      for (int i = 0; i < kTries; ++i) {
        const std::string own = "own" + std::to_string(t * kTries + i);
        // In either order, which must not cause a deadlock.
        Demands demands = {{"shared", shared}, {own, shared}, {"other", LeakRate(1, 1e6)}};
        if (i % 2 == 0) std::swap(demands[0], demands[2]);
        const BucketAnswer answer = take(table, demands);
        if (answer.taken && i % 3 == 0) {
          give_back(table, demands, answer);
        } else if (answer.taken) {
          ++passed;
        }
        if (i % 64 == 0) {
          (void)table.collect(static_cast<std::size_t>(i / 64) % BucketTable::kShards, 0, kStart,
                              changes);
          (void)table.list("ow", 3, kStart);
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(passed, 1000);
  EXPECT_EQ(drops(table, "shared"), 1000);
  EXPECT_EQ(drops(table, "other"), 1000);
}

}  // namespace
}  // namespace shingled::storage::buckets
