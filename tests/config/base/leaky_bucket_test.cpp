#include "config/base/leaky_bucket.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>

namespace shingled {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kStart{hours(1)};
static_assert(sizeof(LeakyBucket) == 8 && std::atomic<LeakyBucket>::is_always_lock_free);

/// How many of `amount` fit at once.
int fitting(LeakyBucket& bucket, const LeakRate& rate, TimePoint now, double amount = 1) {
  int count = 0;
  while (count < 1'000'000 && bucket.try_add(amount, rate, now)) ++count;
  return count;
}

TEST(LeakyBucket, TakesItsBurstAtOnceAndNoMore) {
  constexpr struct {
    const char* why;
    double per_second;
    double burst;
    double amount;
    int fits;
  } kCases[] = {
      {"whole numbers", 10, 5, 1, 5},
      {"a rate that divides no second", 3, 7, 1, 7},
      {"an odd rate and many", 0.3, 1000, 1, 1000},
      {"a day for one", 1.0 / 86'400, 20, 1, 20},
      {"as fast as can be", 1e6, 100'000, 1, 100'000},
      {"faster is as fast as can be", 1e12, 3, 1, 3},
      {"half a message more is none", 1, 2.5, 1, 2},
      {"larger amounts", 1, 10, 4, 2},
      {"fractions", 1, 1, 0.25, 4},
      {"more than it holds never fits", 100, 5, 5.5, 0},
      {"no room at all", 100, 0, 1, 0},
      {"less than no room", 100, -1, 1, 0},
  };
  for (const auto& c : kCases) {
    LeakyBucket bucket;
    EXPECT_EQ(fitting(bucket, LeakRate(c.per_second, c.burst), kStart, c.amount), c.fits) << c.why;
  }
}

TEST(LeakyBucket, DrainsWhileIdle) {
  const LeakRate rate(2, 10);
  LeakyBucket bucket;
  EXPECT_EQ(fitting(bucket, rate, kStart), 10);
  EXPECT_DOUBLE_EQ(bucket.level(rate, kStart), 10);
  EXPECT_FALSE(bucket.try_add(1, rate, kStart + milliseconds(499)));
  EXPECT_TRUE(bucket.try_add(1, rate, kStart + milliseconds(500)));
  EXPECT_DOUBLE_EQ(bucket.level(rate, kStart + milliseconds(1500)), 8);
  EXPECT_EQ(fitting(bucket, rate, kStart + milliseconds(2500)), 4);
  EXPECT_FALSE(bucket.is_empty(kStart + milliseconds(7499)));
  EXPECT_TRUE(bucket.is_empty(kStart + milliseconds(7500)));
  EXPECT_EQ(bucket.level(rate, kStart + hours(1)), 0);
  EXPECT_EQ(fitting(bucket, rate, kStart + hours(1)), 10) << "it holds no more for having waited";
}

TEST(LeakyBucket, RemembersNoRefusal) {
  const LeakRate rate(1, 3);
  LeakyBucket bucket;
  EXPECT_EQ(fitting(bucket, rate, kStart), 3);
  const LeakyBucket full = bucket;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(bucket.try_add(1, rate, kStart));
  EXPECT_EQ(bucket, full);
}

TEST(LeakyBucket, GivesBackWhatWasAddedInVainAndNoMore) {
  const LeakRate rate(1, 3);
  LeakyBucket bucket;
  EXPECT_EQ(fitting(bucket, rate, kStart), 3);
  bucket.take_back(1, rate, kStart);
  EXPECT_EQ(fitting(bucket, rate, kStart), 1);
  bucket.take_back(100, rate, kStart);
  EXPECT_EQ(fitting(bucket, rate, kStart), 3);
  bucket.take_back(1, rate, kStart + hours(1));
  EXPECT_EQ(fitting(bucket, rate, kStart + hours(1)), 3);
}

TEST(LeakyBucket, GoesOnFromTheMomentOfItsEmptiness) {
  const LeakRate rate(2, 10);
  LeakyBucket bucket;
  EXPECT_TRUE(bucket.try_add(6, rate, kStart));
  const LeakyBucket copy(bucket.empty_at());
  EXPECT_DOUBLE_EQ(copy.level(rate, kStart), 6);
  EXPECT_DOUBLE_EQ(copy.level(LeakRate(1, 10), kStart), 3) << "as long as before, at half the rate";
}

TEST(LeakyBucket, SurvivesTheEndsOfItsNumbers) {
  const LeakRate slow(0, 1e300);
  LeakyBucket bucket;
  EXPECT_TRUE(bucket.try_add(1e300, slow, kStart)) << "127 years are the longest there is";
  EXPECT_FALSE(bucket.try_add(1e300, slow, kStart));
  EXPECT_FALSE(bucket.is_empty(kStart + hours(24 * 365 * 100)));
  EXPECT_TRUE(bucket.try_add(-5, slow, kStart)) << "less than nothing is nothing";
  EXPECT_EQ(LeakRate(1, 1).time_of(-5), Duration::zero());
}

// The law of the header, for any traffic: whoever looks at any two moments finds at most
// burst + rate * t taken between them. Amounts are counted in the bucket's own time, so nothing is
// lost in rounding.
TEST(LeakyBucket, NeverTakesMoreThanBurstAndRate) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto between = [&](double least, double most) {
      return std::uniform_real_distribution<double>(least, most)(random);
    };
    const double per_second = std::pow(10, between(-4, 6));
    const double burst = std::pow(10, between(0, 3));
    const LeakRate rate(per_second, burst);
    LeakyBucket bucket;
    TimePoint now = kStart;
    Duration taken{};
    Duration least = Duration::zero();  // of taken - passed, over all moments so far
    for (int i = 0; i < 2000; ++i) {
      if (random() % 4 == 0)
        now += Duration(static_cast<Duration::rep>(between(0, 3e9 / per_second)));
      const double amount = random() % 8 == 0 ? between(0, burst) : 1;
      const Duration passed = now - kStart;
      least = std::min(least, taken - passed);
      if (bucket.try_add(amount, rate, now)) taken += rate.time_of(amount);
      ASSERT_LE(taken - passed - least, rate.room()) << "seed " << seed << " step " << i;
    }
    EXPECT_LE(static_cast<long double>(rate.room().count()), burst * std::ceil(1e9L / per_second))
        << "seed " << seed;
  }
}

TEST(LeakyBucket, PassesTheWholeRateOfASteadyStream) {
  for (const double per_second : {0.01, 1.0, 3.0, 1000.0, 1e5}) {
    const LeakRate rate(per_second, 1);
    LeakyBucket bucket;
    TimePoint now = kStart;
    int passed = 0;
    for (int i = 0; i < 10'000; ++i) {
      passed += bucket.try_add(1, rate, now) ? 1 : 0;
      now += rate.time_of(1);
    }
    EXPECT_EQ(passed, 10'000) << per_second;
  }
}

TEST(LeakyBucket, TakesTimesOutOfOrder) {
  const LeakRate rate(1, 5);
  LeakyBucket bucket;
  EXPECT_TRUE(bucket.try_add(3, rate, kStart));
  EXPECT_TRUE(bucket.try_add(1, rate, kStart - seconds(1)));
  EXPECT_FALSE(bucket.try_add(1, rate, kStart - seconds(1))) << "5 stood in it a second ago";
  EXPECT_DOUBLE_EQ(bucket.level(rate, kStart), 4);
}

}  // namespace
}  // namespace shingled
