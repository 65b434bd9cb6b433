// Buckets in a redis-server of the test's own, which is killed and restarted.
#include "storage/buckets/redis_buckets.h"

#include <gmock/gmock.h>

#include <random>
#include <thread>

#include "config/base/metric_report.h"
#include "storage/redis/key_slot.h"
#include "tests/storage/buckets/ideal_bucket.h"
#include "tests/storage/redis/cluster_process.h"
#include "tests/storage/redis/redis_process.h"

namespace shingled::storage {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LineLogger final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view line) override {
    lines_.lock()->emplace_back(line.substr(0, line.find(' ')));
  }
  [[nodiscard]] bool enabled(LogLevel /*level*/) const override { return true; }
  [[nodiscard]] std::vector<std::string> events() { return *lines_.lock(); }

 private:
  Guarded<std::vector<std::string>> lines_;
};

const LeakRate kSlow(1e-6, 3);  // nothing to speak of leaks while a test runs

class RedisBucketsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SHINGLED_NEED_REDIS();
    ASSERT_TRUE(redis_.start());
    options_.servers = {redis_.address()};
    options_.prefix = "rl*";
    options_.timeout = seconds(20);  // a sanitizer build on a busy machine
    store_ = open();
  }
  std::unique_ptr<RedisBuckets> open() {
    return std::make_unique<RedisBuckets>(
        options_, std::make_unique<EmbeddedBuckets>(1000, clock_, random_), clock_, logger_);
  }
  [[nodiscard]] TimePoint soon() const { return clock_.now() + seconds(20); }
  BucketAnswer take(RedisBuckets& store, const std::vector<BucketDemand>& demands) {
    return store.take(demands, soon());
  }
  BucketAnswer take(const std::vector<BucketDemand>& demands) { return take(*store_, demands); }
  double drops(std::string_view key) {
    const auto state = store_->show(key, soon());
    return state && *state ? (*state)->drops() : 0;
  }
  int fitting(const BucketDemand& what) {
    int count = 0;
    while (count < 100 && store_->take({&what, 1}, soon()).taken) ++count;
    return count;
  }

  testing::RedisProcess redis_;
  RedisOptions options_;
  SystemClock clock_;
  SystemRandom random_;
  LineLogger logger_;
  std::unique_ptr<RedisBuckets> store_;
};

TEST_F(RedisBucketsTest, TakesAllOrNothing) {
  const std::vector<BucketDemand> both = {{"a", kSlow}, {"b", LeakRate(1e-6, 2)}};
  EXPECT_TRUE(take(both).taken);
  EXPECT_TRUE(take(both).taken);
  const BucketAnswer refused = take(both);
  EXPECT_FALSE(refused.taken);
  EXPECT_FALSE(refused.fallback);
  EXPECT_EQ(refused.refused_by, 1U);
  EXPECT_GT(refused.wait, hours(24 * 10));
  EXPECT_LE(refused.wait, kSlow.time_of(1));
  EXPECT_NEAR(refused.levels[0].drops, 2, 1e-3);
  EXPECT_NEAR(drops("a"), 2, 1e-3) << "what fitted was not taken either";
  EXPECT_EQ(fitting({"a", kSlow}), 1);
  EXPECT_EQ(take({{"never", kSlow, 3.5}}).wait, Duration::max());
  EXPECT_TRUE(store_->take({}, soon()).taken);
  EXPECT_THAT(logger_.events(), IsEmpty());
}

TEST_F(RedisBucketsTest, CountsAKeyThatComesTwiceTwiceAndGivesBoth) {
  const std::vector<BucketDemand> twice = {{"a", kSlow}, {"b", kSlow}, {"a", kSlow}};
  const BucketAnswer first = take(twice);
  EXPECT_TRUE(first.taken);
  const BucketAnswer second = take(twice);
  EXPECT_FALSE(second.taken);
  EXPECT_EQ(second.refused_by, 2U);
  EXPECT_NEAR(second.levels[2].drops, 2, 1e-3);
  store_->give_back(twice, second, soon());
  EXPECT_NEAR(drops("a"), 2, 1e-3);
  store_->give_back(twice, first, soon());
  EXPECT_THAT(redis_.keys(), IsEmpty()) << "an empty bucket costs nothing";
}

// The law, with the server's time as the answers say it: what two daemons pass together is what the
// ideal bucket passes.
TEST_F(RedisBucketsTest, TwoDaemonsPassJustWhatTheIdealBucketPasses) {
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
            const BucketAnswer answer = take(t % 2 == 0 ? *store_ : *other, {{name, rate}});
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

// Any sequence of takes and returns does to Redis what it does to the table.
TEST_F(RedisBucketsTest, AgreesWithTheTable) {
  std::mt19937 random(6);
  for (int round = 0; round < 30; ++round) {
    const std::string name = "x" + std::to_string(round);
    const LeakRate rate(1e-6, 8);
    BucketTable table(64, {});
    std::vector<std::pair<BucketAnswer, BucketAnswer>> under_way;
    const BucketDemand what{name, rate, 0.5 + static_cast<double>(random() % 3)};
    TimePoint now;
    for (int i = 0; i < 40; ++i) {
      if (!under_way.empty() && random() % 2 == 0) {
        const std::size_t which = random() % under_way.size();
        store_->give_back({&what, 1}, under_way[which].first, soon());
        table.give_back({&what, 1}, under_way[which].second, now);
        under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
        continue;
      }
      const BucketAnswer shared = store_->take({&what, 1}, soon());
      now = TimePoint(Duration(shared.at));
      const BucketAnswer own = table.take({&what, 1}, now);
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

TEST_F(RedisBucketsTest, OutlivesARestartOfItsDaemonsAndOfRedis) {
  EXPECT_EQ(fitting({"a", kSlow}), 3);
  store_ = open();
  EXPECT_EQ(fitting({"a", kSlow}), 0);
  redis_.kill9();
  ASSERT_TRUE(redis_.start());
  const BucketAnswer answer = take({{"a", kSlow}});
  EXPECT_FALSE(answer.taken);
  EXPECT_FALSE(answer.fallback) << "a connection that broke while idle is made anew";
  EXPECT_THAT(logger_.events(), IsEmpty());
}

TEST_F(RedisBucketsTest, IsListedShownSetAndReset) {
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

TEST_F(RedisBucketsTest, HoldsSeveralBurstsWhereItIsNotToRefuseAtOne) {
  BucketDemand what{"a", kSlow, 1, 8};
  EXPECT_EQ(fitting(what), 24);
  EXPECT_EQ(store_->show("a", soon()).value()->rate, kSlow) << "its burst is what it was";
  EXPECT_NEAR(drops("a"), 24, 1e-3);
  what.bursts = 1;
  EXPECT_EQ(fitting(what), 0);
  EXPECT_NEAR(drops("a"), 3, 1e-3) << "and more counts no longer";
}

TEST_F(RedisBucketsTest, SurvivesWhatItCannotRead) {
  redis_.ask({"SET", redis_bucket_key("rl*", "text"), "9999999999 0 1 2"});
  EXPECT_EQ(fitting({"text", kSlow}), 3) << "what is no bucket is an empty one";
  redis_.ask({"HSET", redis_bucket_key("rl*", "hash"), "a", "b"});
  EXPECT_EQ(fitting({"hash", kSlow}), 3);
  redis_.ask({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_TRUE(take({{"new", kSlow}}).fallback) << "it has no memory for anything";
  redis_.ask({"CONFIG", "SET", "maxmemory", "0"});
  while (take({{"new", LeakRate(1, 1e6)}}).fallback) {
  }
  const std::string_view far(
      "\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0\1\0\0\0\0\0\0\0\0\0\0\x0b\xb8\0\0\0\0\0\0\x03\xe8",
      40);
  redis_.ask({"SET", redis_bucket_key("rl*", "far"), far});
  EXPECT_GT(store_->show("far", soon()).value().value_or(BucketState()).empty_in, hours(24 * 365));
  EXPECT_FALSE(take({{"far", LeakRate(1000, 3), 3}}).taken);
  while (!take({{"far", LeakRate(1000, 3), 3}}).taken) {
  }
  redis_.ask({"SCRIPT", "FLUSH"});
  EXPECT_FALSE(take({{"text", kSlow}}).fallback) << "a script it forgot is sent again";
}

TEST_F(RedisBucketsTest, DecidesByItselfWhileRedisIsAway) {
  EXPECT_EQ(fitting({"a", kSlow}), 3);
  redis_.kill9();
  const std::vector<BucketDemand> one = {{"a", kSlow}};
  BucketAnswer answer = take(one);
  EXPECT_TRUE(answer.taken) << "its own buckets are empty";
  EXPECT_TRUE(answer.fallback);
  store_->give_back(one, answer, soon());
  EXPECT_EQ(fitting({"a", kSlow}), 3) << "what came back came back there";
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

TEST_F(RedisBucketsTest, AnswersByTheDeadlineWhenRedisStandsStill) {
  EXPECT_TRUE(take({{"a", kSlow}}).taken);
  redis_.freeze();
  const BucketDemand what{"a", kSlow};
  const BucketAnswer answer = store_->take({&what, 1}, clock_.now() + milliseconds(30));
  EXPECT_TRUE(answer.fallback);
  redis_.thaw();
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
      const std::vector<BucketDemand> demands = {{own, LeakRate(1e3, 1e6)},
                                                 {"all", LeakRate(1e3, 1e6)}};
      for (int i = 0; !stop; ++i) {
        const BucketAnswer answer = take(demands);
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
  EXPECT_EQ(logger_.events(), expected) << "once what happened, and once that it is over";
}

TEST(RedisBucketsCluster, TakesTogetherWhatSharesATagAndGivesBackTheRest) {
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
  RedisBuckets store(options, std::make_unique<EmbeddedBuckets>(1000, clock, random), clock,
                     logger);
  const auto soon = [&] { return clock.now() + seconds(60); };
  const auto drops = [&](std::string_view key) {
    const auto state = store.show(key, soon());
    return state && *state ? (*state)->drops() : 0;
  };
  // 40 senders on all servers; the last one has no room left.
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("from:{s" + std::to_string(i) + "}");
  std::vector<BucketDemand> demands = {{"to:{r}", kSlow}, {"to_ip:{r}:192.0.2.1", kSlow}};
  for (const std::string& name : names) demands.push_back({name, kSlow});
  ASSERT_TRUE(store.set(names[39], kSlow, 3, soon()));
  const BucketAnswer refused = store.take(demands, soon());
  EXPECT_FALSE(refused.taken);
  EXPECT_FALSE(refused.fallback);
  EXPECT_EQ(refused.refused_by, 41U);
  EXPECT_EQ(cluster.keys().size(), 1U) << "nobody else holds anything";
  ASSERT_TRUE(store.reset(names[39], soon()).value_or(false));
  const BucketAnswer taken = store.take(demands, soon());
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
  BucketAnswer answer;
  do answer = store.take(demands, soon());
  while (!answer.fallback);
  EXPECT_TRUE(answer.taken);
  EXPECT_THAT(logger.events(), ElementsAre("ratelimit_redis_away"));
}

}  // namespace
}  // namespace shingled::storage
