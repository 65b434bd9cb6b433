// Buckets in a real redis-server.
#include "storage/redis/buckets/redis_buckets.h"

#include <gmock/gmock.h>

#include <random>
#include <thread>

#include "tests/storage/buckets/ideal_bucket.h"
#include "tests/storage/redis/buckets/redis_buckets_fixture.h"

namespace shingled::storage::redis {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(RedisBucketsTest, TakesAllOrNothing) {
  const std::vector<buckets::BucketDemand> both = {{"a", kSlow}, {"b", LeakRate(1e-6, 2)}};
  EXPECT_TRUE(take(both).taken);
  EXPECT_TRUE(take(both).taken);
  const buckets::BucketAnswer refused = take(both);
  EXPECT_FALSE(refused.taken);
  EXPECT_FALSE(refused.fallback);
  EXPECT_EQ(refused.refused_by, 1U);
  EXPECT_GT(refused.wait, hours(24 * 10));
  EXPECT_LE(refused.wait, kSlow.time_of(1));
  EXPECT_NEAR(refused.levels[0].drops, 2, 1e-3);
  EXPECT_NEAR(drops("a"), 2, 1e-3) << "the demand that fits is not taken either";
  EXPECT_EQ(fitting({"a", kSlow}), 1);
  EXPECT_EQ(take({{"never", kSlow, 3.5}}).wait, Duration::max());
  EXPECT_TRUE(store_->take({}, soon()).taken);
  EXPECT_THAT(logger_.events(), IsEmpty());
}

TEST_F(RedisBucketsTest, CountsAKeyThatComesTwiceTwiceAndGivesBothBack) {
  const std::vector<buckets::BucketDemand> twice = {{"a", kSlow}, {"b", kSlow}, {"a", kSlow}};
  const buckets::BucketAnswer first = take(twice);
  EXPECT_TRUE(first.taken);
  const buckets::BucketAnswer second = take(twice);
  EXPECT_FALSE(second.taken);
  EXPECT_EQ(second.refused_by, 2U);
  EXPECT_NEAR(second.levels[2].drops, 2, 1e-3);
  store_->give_back(twice, second, soon());
  EXPECT_NEAR(drops("a"), 2, 1e-3);
  store_->give_back(twice, first, soon());
  EXPECT_THAT(redis_.keys(), IsEmpty()) << "an empty bucket costs nothing";
}

// The law, with the server's time from the answers: two daemons together pass exactly what the
// ideal bucket passes.
TEST_F(RedisBucketsTest, TwoDaemonsPassExactlyWhatTheIdealBucketPasses) {
  const auto other = open();
  for (const double per_second : {300.0, 7000.0, 30'000.0}) {
    const LeakRate rate(per_second, 5);
    const std::string name = std::to_string(per_second);
    struct Event {
      std::int64_t at;
      bool taken;
    };
    std::vector<Event> events;
    std::mutex mutex;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
          for (int i = 0; i < 300; ++i) {
            const buckets::BucketAnswer answer =
                take(t % 2 == 0 ? *store_ : *other, {{name, rate}});
            ASSERT_FALSE(answer.fallback);
            const std::lock_guard lock(mutex);
            events.push_back({answer.at, answer.taken});
          }
        });
      }
    }
    std::sort(events.begin(), events.end(),
              [](const Event& a, const Event& b) { return a.at < b.at; });
    testing::IdealBucket ideal(rate.room(), TimePoint(Duration(events.front().at)));
    int passed = 0;
    for (const Event& event : events) {
      ASSERT_EQ(event.taken, ideal.try_add(0, rate.time_of(1), TimePoint(Duration(event.at))));
      passed += event.taken ? 1 : 0;
    }
    EXPECT_GE(passed, 5);
  }
}

// Any sequence of `take` and `give_back` has the same results in Redis and in the table.
TEST_F(RedisBucketsTest, AgreesWithTheTable) {
  std::mt19937 random(6);
  for (int round = 0; round < 30; ++round) {
    const std::string name = "x" + std::to_string(round);
    const LeakRate rate(1e-6, 8);
    buckets::BucketTable table(64, {});
    std::vector<std::pair<buckets::BucketAnswer, buckets::BucketAnswer>> under_way;
    const buckets::BucketDemand what{name, rate, 0.5 + static_cast<double>(random() % 3)};
    TimePoint now;
    for (int i = 0; i < 40; ++i) {
      if (!under_way.empty() && random() % 2 == 0) {
        const std::size_t which = random() % under_way.size();
        store_->give_back({&what, 1}, under_way[which].first, soon());
        table.give_back({&what, 1}, under_way[which].second, now);
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
        continue;
      }
      const buckets::BucketAnswer shared = store_->take({&what, 1}, soon());
      now = TimePoint(Duration(shared.at));
      const buckets::BucketAnswer own = table.take({&what, 1}, now);
      ASSERT_EQ(shared.taken, own.taken);
      ASSERT_NEAR(shared.levels[0].drops, own.levels[0].drops, 1e-3);
      if (shared.taken) under_way.emplace_back(shared, own);
    }
  }
}

TEST_F(RedisBucketsTest, CostsNothingWhenIdle) {
  EXPECT_TRUE(take({{"to:{a}", LeakRate(1, 100), 50}}).taken);
  const std::string key = redis_bucket_key(options_.prefix, "to:{a}");
  const std::int64_t lives = redis_.ask({"PTTL", key}).integer;
  EXPECT_GT(lives, 0);
  EXPECT_GT(lives, 49'000);
  EXPECT_LE(lives, 2 * 50'000 + 2000) << "at most twice as long as it needs";
  EXPECT_TRUE(take({{"quick", LeakRate(1e4, 100), 50}}).taken);
  while (redis_.keys().size() > 1) std::this_thread::yield();  // by itself
  EXPECT_THAT(redis_.keys(), ElementsAre(key));
}

TEST_F(RedisBucketsTest, SurvivesARestartOfTheDaemonsAndOfRedis) {
  EXPECT_EQ(fitting({"a", kSlow}), 3);
  store_ = open();
  EXPECT_EQ(fitting({"a", kSlow}), 0);
  redis_.kill9();
  ASSERT_TRUE(redis_.start());
  const buckets::BucketAnswer answer = take({{"a", kSlow}});
  EXPECT_FALSE(answer.taken);
  EXPECT_FALSE(answer.fallback) << "an idle connection that broke is replaced";
  EXPECT_THAT(logger_.events(), IsEmpty());
}

TEST_F(RedisBucketsTest, ListsShowsSetsAndResetsBuckets) {
  for (int i = 1; i <= 5; ++i) {
    const std::string name = (i % 2 == 0 ? "to:" : "from:") + std::to_string(i);
    EXPECT_TRUE(take({{name, LeakRate(1e-6, 10), static_cast<double>(i)}}).taken);
  }
  redis_.ask({"SET", "rlx:to:9", "not ours, for * is no glob"});
  redis_.ask({"SET", "rl*:to:8", "nonsense"});
  const auto all = store_->list("", 3, soon());
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ((*all)[0].key, "from:5");
  EXPECT_NEAR((*all)[0].drops(), 5, 1e-3);
  EXPECT_EQ((*all)[0].rate, LeakRate(1e-6, 10));
  const auto some = store_->list("to:", 100, soon());
  ASSERT_TRUE(some);
  EXPECT_EQ(some->size(), 2U);

  EXPECT_TRUE(store_->set("a", kSlow, 2, soon()));
  EXPECT_NEAR(drops("a"), 2, 1e-3);
  EXPECT_EQ(fitting({"a", kSlow}), 1);
  EXPECT_TRUE(store_->set("a", kSlow, 1000, soon()));
  EXPECT_NEAR(drops("a"), 3, 1e-3);
  EXPECT_TRUE(store_->reset("a", soon()).value_or(false));
  EXPECT_FALSE(store_->reset("a", soon()).value_or(true));
  EXPECT_EQ(fitting({"a", kSlow}), 3);
  const auto absent = store_->show("absent", soon());
  ASSERT_TRUE(absent);
  EXPECT_FALSE(*absent);
}

TEST_F(RedisBucketsTest, HoldsSeveralBurstsIfTheDemandAllowsIt) {
  buckets::BucketDemand what{"a", kSlow, 1, 8};
  EXPECT_EQ(fitting(what), 24);
  EXPECT_EQ(store_->show("a", soon()).value()->rate, kSlow) << "its burst is not changed";
  EXPECT_NEAR(drops("a"), 24, 1e-3);
  what.bursts = 1;
  EXPECT_EQ(fitting(what), 0);
  EXPECT_NEAR(drops("a"), 3, 1e-3) << "and more counts no longer";
}

TEST_F(RedisBucketsTest, SurvivesKeysThatAreNotBuckets) {
  redis_.ask({"SET", redis_bucket_key("rl*", "text"), "9999999999 0 1 2"});
  EXPECT_EQ(fitting({"text", kSlow}), 3) << "a malformed value counts as an empty bucket";
  redis_.ask({"HSET", redis_bucket_key("rl*", "hash"), "a", "b"});
  EXPECT_EQ(fitting({"hash", kSlow}), 3);
  redis_.ask({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_TRUE(take({{"new", kSlow}}).fallback) << "Redis is out of memory";
  redis_.ask({"CONFIG", "SET", "maxmemory", "0"});
  while (take({{"new", LeakRate(1, 1e6)}}).fallback) {
  }
  const std::string_view far(
      "\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0\1\0\0\0\0\0\0\0\0\0\0\x0b\xb8\0\0\0\0\0\0\x03\xe8",
      40);
  redis_.ask({"SET", redis_bucket_key("rl*", "far"), far});
  EXPECT_GT(store_->show("far", soon()).value().value_or(buckets::BucketState()).empty_in,
            hours(24 * 365));
  EXPECT_FALSE(take({{"far", LeakRate(1000, 3), 3}}).taken);
  while (!take({{"far", LeakRate(1000, 3), 3}}).taken) {
  }
  redis_.ask({"SCRIPT", "FLUSH"});
  EXPECT_FALSE(take({{"text", kSlow}}).fallback) << "a forgotten script is sent again";
}

}  // namespace
}  // namespace shingled::storage::redis
