#include "storage/access/limit_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

namespace shingled::storage::access {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Decision = LimitTable::Decision;

constexpr TimePoint kStart{hours(1)};

int passing(LimitTable& table, std::uint64_t source, const LimitLaw& law, TimePoint now,
            int tries) {
  int passed = 0;
  for (int i = 0; i < tries; ++i) {
    passed += table.add(source, law, now) == Decision::kPass ? 1 : 0;
  }
  return passed;
}

TEST(LimitTable, CountsEachSourceByItself) {
  LimitTable table(100);
  const LimitLaw law{LeakRate(1, 5), {}};
  EXPECT_EQ(passing(table, 1, law, kStart, 20), 5);
  EXPECT_EQ(passing(table, 2, law, kStart, 20), 5);
  EXPECT_EQ(passing(table, 1, law, kStart + seconds(2), 20), 2);
}

TEST(LimitTable, WithoutABanRefusesOnlyUntilEnoughHasLeaked) {
  LimitTable table(100);
  const LimitLaw law{LeakRate(2, 3), {}};
  EXPECT_EQ(passing(table, 7, law, kStart, 3), 3);
  EXPECT_EQ(table.add(7, law, kStart), Decision::kRefused);
  EXPECT_EQ(table.add(7, law, kStart + milliseconds(499)), Decision::kRefused);
  EXPECT_EQ(table.add(7, law, kStart + milliseconds(500)), Decision::kPass);
}

TEST(LimitTable, ALeakDoesNotShortenABanAndATenthOfTheBurstIsLeftAfterIt) {
  LimitTable table(100);
  const LimitLaw law{LeakRate(1000, 50), seconds(60)};
  EXPECT_EQ(passing(table, 7, law, kStart, 50), 50);
  EXPECT_EQ(table.add(7, law, kStart), Decision::kNowBanned);
  for (const auto after :
       {milliseconds(0), milliseconds(1), milliseconds(30'000), milliseconds(59'999)})
    EXPECT_EQ(table.add(7, law, kStart + after), Decision::kRefused) << after.count();
  EXPECT_EQ(passing(table, 7, law, kStart + seconds(60), 20), 5);
  EXPECT_EQ(table.add(7, law, kStart + seconds(60)), Decision::kRefused) << "banned again";
  EXPECT_EQ(passing(table, 7, law, kStart + hours(1), 100), 50)
      << "after a long time it is like a new source";
}

// A bucket that leaks slowly is still nearly full at the end of the ban.
TEST(LimitTable, ABanNeverEmptiesABucket) {
  LimitTable table(100);
  const LimitLaw law{LeakRate(0.001, 10), seconds(1)};
  EXPECT_EQ(passing(table, 7, law, kStart, 10), 10);
  EXPECT_EQ(table.add(7, law, kStart), Decision::kNowBanned);
  EXPECT_EQ(table.add(7, law, kStart + seconds(1)), Decision::kNowBanned);
}

TEST(LimitTable, TakeBackUndoesAnAdd) {
  LimitTable table(100);
  const LimitLaw law{LeakRate(1, 2), seconds(60)};
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(table.add(7, law, kStart), Decision::kPass) << i;
    table.take_back(7, law, kStart);
  }
  EXPECT_EQ(passing(table, 7, law, kStart, 10), 2);
}

// For any traffic of one source, with bans and without: at most burst + rate * t of its requests
// pass within any time t.
TEST(LimitTable, NeverPassesMoreThanBurstAndRate) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    const double per_second = std::pow(10.0, static_cast<double>(random() % 60) / 10.0 - 2);
    const double burst = 1 + static_cast<double>(random() % 50);
    const LimitLaw law{LeakRate(per_second, burst), milliseconds(random() % 3 * (random() % 5000))};
    LimitTable table(64);
    TimePoint now = kStart;
    Duration passed{};
    Duration least{};
    for (int i = 0; i < 2000; ++i) {
      if (random() % 3 == 0)
        now += Duration(static_cast<Duration::rep>(
            random() % (1 + static_cast<std::uint64_t>(3e9 / per_second))));
      least = std::min(least, passed - (now - kStart));
      if (table.add(9, law, now) == Decision::kPass) passed += law.rate.time_of(1);
      ASSERT_LE(passed - (now - kStart) - least, law.rate.room()) << "seed " << seed;
      if (random() % 8 == 0) table.add(random() % 1000 * 8 + 2, law, now);  // other sources
    }
  }
}

TEST(LimitTable, NeverGrows) {
  LimitTable table(2000);
  EXPECT_GE(table.places(), 2000U);
  EXPECT_LE(table.places(), 4000U);
  const std::size_t places = table.places();
  const LimitLaw law{LeakRate(1, 5), hours(1)};
  std::mt19937_64 random(1);
  // A source over its limit stays in the table during the flood.
  constexpr std::uint64_t kAbuser = 0x1234'5678'9abc'def0;
  EXPECT_EQ(passing(table, kAbuser, law, kStart, 20), 5);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_EQ(table.add(random() | 1, law, kStart + milliseconds(i / 100)), Decision::kPass);
  }
  EXPECT_EQ(table.places(), places);
  EXPECT_LE(table.entries(kStart + seconds(1)).size(), places);
  EXPECT_GT(table.evictions(), 90'000U);
  EXPECT_EQ(table.add(kAbuser, law, kStart + seconds(1)), Decision::kRefused);
}

TEST(LimitTable, ReusesPlacesWithEmptyBuckets) {
  LimitTable table(8);
  ASSERT_EQ(table.places(), 8U);
  const LimitLaw law{LeakRate(1, 5), hours(1)};
  for (std::uint64_t source = 1; source <= 1000; ++source)
    EXPECT_EQ(table.add(source, law, kStart + seconds(source)), Decision::kPass);
  EXPECT_EQ(table.evictions(), 0U) << "each bucket was empty after a second";
}

TEST(LimitTable, ContinuesAfterARestart) {
  const LimitLaw law{LeakRate(1, 5), seconds(60)};
  LimitTable before(100);
  EXPECT_EQ(passing(before, 1, law, kStart, 3), 3);
  EXPECT_EQ(passing(before, 2, law, kStart, 9), 5);
  EXPECT_EQ(passing(before, 3, law, kStart - seconds(60), 4), 4);  // the bucket is empty at kStart
  const auto entries = before.entries(kStart);
  ASSERT_EQ(entries.size(), 2U);

  const TimePoint later = kStart + hours(100);  // after a reboot the clock differs
  LimitTable after(500);
  after.restore(entries, later);
  EXPECT_EQ(passing(after, 1, law, later, 9), 2);
  EXPECT_EQ(after.add(2, law, later + seconds(59)), Decision::kRefused);
  EXPECT_EQ(after.add(2, law, later + seconds(60)), Decision::kPass);
  EXPECT_EQ(passing(after, 3, law, later, 9), 5);
}

// Many workers, one network: the limit holds for all workers together.
TEST(LimitTable, IsExactForSeveralThreads) {
  constexpr int kThreads = 4;
  constexpr int kTries = 20'000;
  LimitTable table(100);
  const LimitLaw law{LeakRate(1e-3, 5000), {}};
  ASSERT_EQ(table.add(7, law, kStart), Decision::kPass);  // so that the source has a place
  std::atomic<int> passed{1};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] { passed += passing(table, 7, law, kStart, kTries); });
    }
  }
  EXPECT_EQ(passed, 5000);
}

// Sources replace each other from several threads: only the exactness of the limit suffers.
TEST(LimitTable, SurvivesThreadsThatCompeteForItsPlaces) {
  LimitTable table(8);
  const LimitLaw law{LeakRate(1000, 2), seconds(1)};
  std::atomic<std::uint64_t> answered{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 1; t <= 4; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937_64 random(t);
        for (int i = 0; i < 20'000; ++i) {
          const TimePoint now = kStart + milliseconds(i);
          const std::uint64_t source = 1 + random() % 32;
          answered += table.add(source, law, now) == Decision::kPass ? 1 : 0;
          if (i % 16 == 0) table.take_back(source, law, now);
        }
      });
    }
  }
  EXPECT_GT(answered, 0U);
  EXPECT_LE(table.entries(kStart).size(), table.places());
}

}  // namespace
}  // namespace shingled::storage::access
