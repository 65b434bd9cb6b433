// With a real Redis and a real cluster.
#include "storage/people/shared_people.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/storage/redis/route/cluster_process.h"
#include "tests/storage/redis/route/redis_process.h"

namespace shingled::storage::people {
namespace {

constexpr std::chrono::seconds kPatience{20};

/// What any of the daemons that share it does.
class TwoDaemons {
 public:
  explicit TwoDaemons(const RedisOptions& redis)
      : first({.redis = redis}, clock_), second({.redis = redis}, clock_) {}

  [[nodiscard]] TimePoint soon() const { return clock_.now() + kPatience; }
  static Statement statement(std::uint64_t message, std::uint64_t person,
                             std::vector<std::uint64_t> signs,
                             ReportKind kind = ReportKind::kSpam) {
    return {.person = person,
            .message = message,
            .kind = kind,
            .standing = Standing::kResident,
            .time = 1'700'000'000,
            .signs = std::move(signs)};
  }
  Voices voices(std::uint64_t sign) {
    const auto answer = second.ask(std::span(&sign, 1), soon());
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? answer->front() : Voices{};
  }
  void check() {
    ASSERT_TRUE(first.say(statement(1, 7, {1, 2, UINT64_MAX}), soon()));
    ASSERT_TRUE(second.say(statement(2, 8, {2}), soon()));
    EXPECT_EQ(voices(2).size(), 2U);
    ASSERT_EQ(voices(UINT64_MAX).size(), 1U);
    EXPECT_EQ(voices(UINT64_MAX).front(),
              (Voice{7, 1'700'000'000, ReportKind::kSpam, Standing::kResident}));
    EXPECT_TRUE(voices(3).empty());
    // He turns on the other daemon.
    ASSERT_TRUE(second.say(statement(1, 7, {2, 3}, ReportKind::kHam), soon()));
    EXPECT_TRUE(voices(1).empty());
    ASSERT_EQ(voices(3).size(), 1U);
    EXPECT_EQ(voices(3).front().kind, ReportKind::kHam);
    ASSERT_TRUE(first.withdraw(1, 7, soon()));
    ASSERT_TRUE(first.withdraw(1, 9, soon()));  // who said nothing
    EXPECT_TRUE(voices(3).empty());
    EXPECT_EQ(voices(2).size(), 1U);
  }

 private:
  SystemClock clock_;

 public:
  SharedPeople first;
  SharedPeople second;
};

TEST(SharedPeople, AgreeOnOneRedis) {
  if (!testing::RedisProcess::installed()) GTEST_SKIP() << "redis-server is not installed";
  testing::RedisProcess process;
  ASSERT_TRUE(process.start());
  RedisOptions options;
  options.servers = {process.address()};
  options.timeout = kPatience;
  TwoDaemons(options).check();
}

TEST(SharedPeople, AgreeOnACluster) {
  if (!testing::ClusterProcess::installed()) GTEST_SKIP() << "redis-server is not installed";
  testing::ClusterProcess cluster;
  ASSERT_TRUE(cluster.start());
  RedisOptions options;
  options.cluster = true;
  options.servers = cluster.seeds();
  options.timeout = kPatience;
  TwoDaemons(options).check();
}

TEST(SharedPeople, KeepNothingMoreOfASignThatAThousandHave) {
  if (!testing::RedisProcess::installed()) GTEST_SKIP() << "redis-server is not installed";
  testing::RedisProcess process;
  ASSERT_TRUE(process.start());
  RedisOptions options;
  options.servers = {process.address()};
  options.timeout = kPatience;
  TwoDaemons daemons(options);
  for (std::uint64_t person = 0; person < kVoicesMax + 5; ++person)
    ASSERT_TRUE(daemons.first.say(TwoDaemons::statement(1, person, {4}), daemons.soon()));
  EXPECT_EQ(daemons.voices(4).size(), kVoicesMax);
}

TEST(SharedPeople, HaveRoomForResidentsWhateverNewcomersSay) {
  if (!testing::RedisProcess::installed()) GTEST_SKIP() << "redis-server is not installed";
  testing::RedisProcess process;
  ASSERT_TRUE(process.start());
  RedisOptions options;
  options.servers = {process.address()};
  options.timeout = kPatience;
  TwoDaemons daemons(options);
  for (std::uint64_t person = 100; person < 100 + kVoicesMax; ++person) {
    Statement said = TwoDaemons::statement(1, person, {4});
    said.standing = Standing::kNewcomer;
    ASSERT_TRUE(daemons.first.say(said, daemons.soon()));
  }
  ASSERT_TRUE(daemons.first.say(TwoDaemons::statement(1, 7, {4}), daemons.soon()));
  const Voices found = daemons.voices(4);
  EXPECT_EQ(found.size(), kNewcomerVoicesMax + 1);
  EXPECT_TRUE(std::ranges::any_of(found, [](const Voice& one) { return one.person == 7; }));
}

TEST(SharedPeople, SayThatRedisIsAwayAndGoOnWhenItIsBack) {
  if (!testing::RedisProcess::installed()) GTEST_SKIP() << "redis-server is not installed";
  testing::RedisProcess process;
  ASSERT_TRUE(process.start());
  RedisOptions options;
  options.servers = {process.address()};
  options.timeout = std::chrono::milliseconds(200);
  TwoDaemons daemons(options);
  ASSERT_TRUE(daemons.first.say(TwoDaemons::statement(1, 7, {1}), daemons.soon()));
  process.kill9();
  const Status said = daemons.first.say(TwoDaemons::statement(2, 8, {1}), daemons.soon());
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, ErrorCode::kUnavailable);
  const std::uint64_t sign = 1;
  EXPECT_FALSE(daemons.second.ask(std::span(&sign, 1), daemons.soon()));
}

}  // namespace
}  // namespace shingled::storage::people
