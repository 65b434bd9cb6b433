#include "storage/redis/route/open_route.h"

#include <gtest/gtest.h>

namespace shingled::storage::redis {
namespace {

/// Returns the replies that the test sets.
class FakeRoute final : public RedisRoute {
 public:
  Result<std::vector<RedisReply>> ask(const CommandList&, TimePoint) override {
    ++asks;
    return replies;
  }
  [[nodiscard]] bool is_up() const override { return true; }

  int asks = 0;
  Result<std::vector<RedisReply>> replies = std::vector<RedisReply>();
};

TEST(OpenRoute, IsAClusterOrAListOfServers) {
  SystemClock clock;
  NullLogger logger;
  RedisOptions options;
  options.servers = {SocketSpec{}};
  const auto list = open_route(options, {}, RedisServers::Turn::kInOrder, clock, logger);
  EXPECT_EQ(list.cluster, nullptr);
  EXPECT_FALSE(list.route->splits_keys());
  options.cluster = true;
  const auto cluster = open_route(options, {}, RedisServers::Turn::kInOrder, clock, logger);
  EXPECT_EQ(cluster.route.get(), cluster.cluster);
  EXPECT_TRUE(cluster.route->splits_keys());
}

TEST(AskWhole, AsksNothingIfThereAreNoCommands) {
  FakeRoute route;
  const auto replies = ask_whole(route, {}, TimePoint());
  ASSERT_TRUE(replies);
  EXPECT_TRUE(replies->empty());
  EXPECT_EQ(route.asks, 0);
}

TEST(AskWhole, AServerThatIsAwayFailsTheWholeBatch) {
  FakeRoute route;
  CommandList commands;
  commands.add({"GET", "a"});
  commands.add({"GET", "b"});
  const RedisReply good{.kind = RedisReply::Kind::kText, .text = "1"};
  const RedisReply wrong{.kind = RedisReply::Kind::kError, .text = "ERR wrong"};
  const RedisReply away{.kind = RedisReply::Kind::kError, .text = std::string(RedisCluster::kAway)};
  route.replies = std::vector{good, wrong};
  ASSERT_TRUE(ask_whole(route, commands, TimePoint()));
  route.replies = std::vector{good, away};
  const auto replies = ask_whole(route, commands, TimePoint());
  ASSERT_FALSE(replies);
  EXPECT_EQ(replies.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace shingled::storage::redis
