// The script in a real redis-server, many messages in one command, compared with the table.
#include "storage/redis/buckets/bucket_script.h"

#include <gmock/gmock.h>

#include <random>

#include "storage/buckets/bucket_table.h"
#include "tests/storage/redis/route/redis_process.h"

namespace shingled::storage::redis {
namespace {

using std::chrono::seconds;

std::vector<std::size_t> all_of(const std::vector<buckets::BucketDemand>& demands) {
  std::vector<std::size_t> numbers(demands.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  return numbers;
}

class BucketScriptTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SHINGLED_NEED_REDIS();
    ASSERT_TRUE(redis_.start());
    auto connection = RedisConnection::open(redis_.address(), {}, soon(), clock_);
    ASSERT_TRUE(connection);
    connection_ = *std::move(connection);
  }
  [[nodiscard]] TimePoint soon() const { return clock_.now() + seconds(60); }

  /// Makes the calls with one command and returns their replies.
  std::vector<RedisReply> run(const std::vector<ScriptCall>& calls) {
    std::vector<const ScriptCall*> together;
    together.reserve(calls.size());
    for (const ScriptCall& call : calls) together.push_back(&call);
    CommandList commands;
    append_calls(commands, {"EVAL", bucket_script()}, together);
    auto replies = connection_->ask(commands, soon());
    if (!replies) return {};
    EXPECT_FALSE(replies->front().is_error()) << replies->front().text;
    return std::move(replies->front().elements);
  }
  static ScriptCall take(const std::vector<buckets::BucketDemand>& demands) {
    return take_call("p", demands, all_of(demands));
  }
  static buckets::BucketAnswer read(const RedisReply& reply,
                                    const std::vector<buckets::BucketDemand>& demands) {
    buckets::BucketAnswer answer;
    answer.levels.resize(demands.size());
    EXPECT_TRUE(read_taken(reply, demands, all_of(demands), answer));
    return answer;
  }

  testing::RedisProcess redis_;
  SystemClock clock_;
  std::unique_ptr<RedisConnection> connection_;
};

// A hundred random batches over eight buckets, so that a bucket is in many messages of a batch, and
// several times in one message.
TEST_F(BucketScriptTest, MessagesInOneCommandAreDecidedOneAfterTheOther) {
  std::mt19937 random(11);
  std::vector<std::string> names;
  std::vector<LeakRate> rates;
  for (int i = 0; i < 8; ++i) {
    names.push_back("to:{r" + std::to_string(i) + "}");
    rates.emplace_back(i % 2 == 0 ? 500.0 : 1e-4, 1 + 3.5 * i);
  }
  buckets::BucketTable table(1000, {});
  int taken = 0;
  int refused = 0;
  for (int batch = 0; batch < 100; ++batch) {
    std::vector<std::vector<buckets::BucketDemand>> messages(1 + random() % 9);
    std::vector<ScriptCall> calls;
    for (auto& demands : messages) {
      for (std::size_t n = 1 + random() % 4; n > 0; --n) {
        const std::size_t which = random() % names.size();
        demands.push_back({names[which], rates[which], 0.25 + static_cast<double>(random() % 2)});
      }
      calls.push_back(take(demands));
    }
    const std::vector<RedisReply> replies = run(calls);
    ASSERT_EQ(replies.size(), messages.size());
    for (std::size_t m = 0; m < messages.size(); ++m) {
      const buckets::BucketAnswer shared = read(replies[m], messages[m]);
      const buckets::BucketAnswer own = table.take(messages[m], TimePoint(Duration(shared.at)));
      ASSERT_EQ(shared.taken, own.taken);
      ++(own.taken ? taken : refused);
      if (own.taken) {
        // The level after the last demand on a bucket is its final level.
        EXPECT_EQ(shared.levels.back().drops, own.levels.back().drops);
        continue;
      }
      // If several demands wait equally long, `refused_by` may name any of them.
      EXPECT_EQ(shared.wait, own.wait);
      for (std::size_t i = 0; i < own.levels.size(); ++i)
        EXPECT_EQ(shared.levels[i].drops, own.levels[i].drops);
    }
  }
  EXPECT_GT(refused, 20);
  EXPECT_GT(taken, 20);
}

TEST_F(BucketScriptTest, AMessageMayHaveThousandsOfBuckets) {
  std::vector<std::string> names;
  names.reserve(5000);
  for (int i = 0; i < 5000; ++i) names.push_back("to:" + std::to_string(i));
  std::vector<buckets::BucketDemand> demands;
  demands.reserve(names.size());
  for (const std::string& name : names) demands.push_back({name, LeakRate(1e-6, 2)});
  const ScriptCall call = take(demands);
  const std::vector<RedisReply> replies = run({call, call, call});
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_TRUE(read(replies[0], demands).taken);
  const buckets::BucketAnswer second = read(replies[1], demands);
  EXPECT_TRUE(second.taken);
  EXPECT_NEAR(second.levels[4999].drops, 2, 1e-3);
  const buckets::BucketAnswer third = read(replies[2], demands);
  EXPECT_FALSE(third.taken);
  EXPECT_EQ(third.refused_by, 0U) << "all have to wait the same time";
  EXPECT_EQ(redis_.keys().size(), 5000U);
  const ScriptCall back = give_back_call("p", demands, second, all_of(demands));
  run({back, give_back_call("p", demands, read(replies[0], demands), all_of(demands))});
  EXPECT_TRUE(redis_.keys().empty());
}

// The script writes the law (rate and burst) once and then only the level, until the law changes.
TEST_F(BucketScriptTest, AChangedLawIsSeenAtOnce) {
  const auto law_of = [&] {
    CommandList commands;
    commands.add({"TIME"});
    commands.add({"GET", "p:a"});
    const auto replies = connection_->ask(commands, soon());
    return read_bucket("a", replies.value()[0], replies.value()[1])->rate;
  };
  for (const LeakRate& rate : {LeakRate(1e-3, 9), LeakRate(1e-3, 9), LeakRate(1e-3, 8),
                               LeakRate(2e-3, 8), LeakRate(1e-3, 9)}) {
    run({take({{"a", rate}})});
    EXPECT_EQ(law_of(), rate);
  }
}

// The key of a bucket expires even if the bucket is used often.
TEST_F(BucketScriptTest, ABucketLivesAtMostTwiceAsLongAsItNeeds) {
  const LeakRate rate(0.1, 1000);
  for (int i = 1; i <= 100; ++i) {
    ASSERT_TRUE(read(run({take({{"a", rate}})}).at(0), {{"a", rate}}).taken);
    const std::int64_t lives_ms = redis_.ask({"PTTL", "p:a"}).integer;
    EXPECT_GT(lives_ms, (10 * i - 5) * 1000) << i;
    EXPECT_LE(lives_ms, (2 * 10 * i + 2) * 1000) << i;
  }
}

}  // namespace
}  // namespace shingled::storage::redis
