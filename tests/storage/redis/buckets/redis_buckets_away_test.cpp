// Buckets while Redis is killed, frozen or a cluster that lost a server.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "config/metrics/metric_report.h"
#include "tests/storage/redis/buckets/redis_buckets_fixture.h"
#include "tests/storage/redis/route/cluster_process.h"

namespace shingled::storage::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(RedisBucketsTest, DecidesLocallyWhileRedisIsAway) {
  EXPECT_EQ(fitting({"a", kSlow}), 3);
  redis_.kill9();
  const std::vector<buckets::BucketDemand> one = {{"a", kSlow}};
  buckets::BucketAnswer answer = take(one);
  EXPECT_TRUE(answer.taken) << "its own buckets are empty";
  EXPECT_TRUE(answer.fallback);
  store_->give_back(one, answer, soon());
  EXPECT_EQ(fitting({"a", kSlow}), 3) << "the drop was given back to the local table";
  EXPECT_FALSE(store_->list("", 9, soon()));
  EXPECT_FALSE(store_->reset("a", soon()));
  ASSERT_TRUE(redis_.start());
  do answer = take(one);
  while (answer.fallback);
  EXPECT_FALSE(answer.taken) << "the shared one is still full";
  EXPECT_THAT(logger_.events(), ElementsAre("ratelimit_redis_away", "ratelimit_redis_back"));
  MetricReport report;
  store_->report(report);
  EXPECT_EQ(report.total("shingled_buckets_shared"), 1);
  EXPECT_GE(report.total("shingled_buckets_fallbacks"), 4);
  EXPECT_GE(report.total("shingled_buckets_store_errors"), 4);
}

TEST_F(RedisBucketsTest, AnswersByTheDeadlineWhenRedisIsFrozen) {
  EXPECT_TRUE(take({{"a", kSlow}}).taken);
  redis_.freeze();
  const buckets::BucketDemand what{"a", kSlow};
  const buckets::BucketAnswer answer = store_->take({&what, 1}, clock_.now() + milliseconds(30));
  EXPECT_TRUE(answer.fallback);
  redis_.thaw();
}

// A frozen server accepts connections and commands but sends no replies: the worst kind of outage.
TEST_F(RedisBucketsTest, NoThreadWaitsTwiceForAFrozenRedis) {
  constexpr int kThreads = 4;
  options_.timeout = seconds(1);
  store_ = open();
  std::atomic<bool> stop{false};
  std::atomic<int> shared{0};
  std::atomic<int> local{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      while (!stop) {
        const buckets::BucketAnswer answer = take({{"all", LeakRate(1e3, 1e6)}});
        ASSERT_TRUE(answer.taken);
        ++(answer.fallback ? local : shared);
      }
    });
  }
  const auto wait_for = [](const std::atomic<int>& count, int more) {
    const int before = count;
    while (count < before + more) std::this_thread::yield();
  };
  wait_for(shared, 100);
  EXPECT_THAT(logger_.events(), IsEmpty());
  redis_.freeze();
  // If each message waited for its deadline, this would take an hour.
  wait_for(local, 10'000);
  EXPECT_THAT(logger_.events(), ElementsAre("ratelimit_redis_away"));
  redis_.thaw();
  wait_for(shared, 100);
  stop = true;
  threads.clear();
  EXPECT_THAT(logger_.events(), ElementsAre("ratelimit_redis_away", "ratelimit_redis_back"));
}

TEST_F(RedisBucketsTest, LosesNoMessageWhenRedisIsKilledUnderLoad) {
  constexpr int kThreads = 4;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> shared{0};
  std::atomic<std::uint64_t> local{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string own = "to:" + std::to_string(t);
      const std::vector<buckets::BucketDemand> demands = {{own, LeakRate(1e3, 1e6)},
                                                          {"all", LeakRate(1e3, 1e6)}};
      for (int i = 0; !stop; ++i) {
        const buckets::BucketAnswer answer = take(demands);
        ASSERT_TRUE(answer.taken) << "there is room everywhere";
        ++(answer.fallback ? local : shared);
        if (i % 3 == 0) store_->give_back(demands, answer, soon());
      }
    });
  }
  const auto wait_for = [](const std::atomic<std::uint64_t>& count) {
    const std::uint64_t before = count;
    while (count < before + 100) std::this_thread::yield();
  };
  std::vector<std::string> expected;
  for (int round = 0; round < 3; ++round) {
    wait_for(shared);
    redis_.kill9();
    wait_for(local);
    ASSERT_TRUE(redis_.start());
    wait_for(shared);
    expected.insert(expected.end(), {"ratelimit_redis_away", "ratelimit_redis_back"});
  }
  stop = true;
  threads.clear();
  EXPECT_EQ(logger_.events(), expected) << "one line for the outage and one for its end";
}

TEST(RedisBucketsCluster, TakesDemandsOfOneTagTogetherAndGivesBackTheOthers) {
  if (!testing::ClusterProcess::installed()) {
    GTEST_SKIP() << "redis-server and redis-tools are not installed";
  }
  testing::ClusterProcess cluster;
  ASSERT_TRUE(cluster.start());
  RedisOptions options;
  options.cluster = true;
  options.servers = cluster.seeds();
  options.prefix = "rl";
  options.timeout = seconds(20);
  SystemClock clock;
  SystemRandom random;
  LineLogger logger;
  RedisBuckets store(options, std::make_unique<buckets::EmbeddedBuckets>(1000, clock, random),
                     clock, logger);
  const auto soon = [&] { return clock.now() + seconds(60); };
  const auto drops = [&](std::string_view key) {
    const auto state = store.show(key, soon());
    return state && *state ? (*state)->drops() : 0;
  };
  // The buckets of 40 senders are on all servers; the last one has no room left.
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("from:{s" + std::to_string(i) + "}");
  std::vector<buckets::BucketDemand> demands = {{"to:{r}", kSlow}, {"to_ip:{r}:192.0.2.1", kSlow}};
  for (const std::string& name : names) demands.push_back({name, kSlow});
  ASSERT_TRUE(store.set(names[39], kSlow, 3, soon()));
  const buckets::BucketAnswer refused = store.take(demands, soon());
  EXPECT_FALSE(refused.taken);
  EXPECT_FALSE(refused.fallback);
  EXPECT_EQ(refused.refused_by, 41U);
  EXPECT_EQ(cluster.keys().size(), 1U) << "nobody else holds anything";
  ASSERT_TRUE(store.reset(names[39], soon()).value_or(false));
  const buckets::BucketAnswer taken = store.take(demands, soon());
  EXPECT_TRUE(taken.taken);
  EXPECT_NEAR(drops("to:{r}"), 1, 1e-3);
  EXPECT_NEAR(drops(names[39]), 1, 1e-3);
  const auto all = store.list("", 100, soon());
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 42U);
  store.give_back(demands, taken, soon());
  EXPECT_THAT(cluster.keys(), IsEmpty());
  EXPECT_THAT(logger.events(), IsEmpty());

  cluster.kill9(cluster.a_master());
  buckets::BucketAnswer answer;
  do answer = store.take(demands, soon());
  while (!answer.fallback);
  EXPECT_TRUE(answer.taken);
  EXPECT_THAT(logger.events(), ElementsAre("ratelimit_redis_away"));
}

}  // namespace
}  // namespace shingled::storage::redis
