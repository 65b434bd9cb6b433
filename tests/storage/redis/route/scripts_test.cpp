#include "storage/redis/route/scripts.h"

#include <gtest/gtest.h>

#include <array>

namespace shingled::storage::redis {
namespace {

using Replies = Result<std::vector<RedisReply>>;

RedisReply text(std::string what) {
  return {.kind = RedisReply::Kind::kText, .text = std::move(what)};
}
RedisReply error(std::string what) {
  return {.kind = RedisReply::Kind::kError, .text = std::move(what)};
}

TEST(Scripts, AreLoadedInOrder) {
  constexpr std::array<std::string_view, 2> kTexts = {"return 1", "return 2"};
  const auto names = load_scripts(kTexts, [](const CommandList& commands) -> Replies {
    EXPECT_EQ(commands.size(), 2U);
    EXPECT_NE(commands.command(1).find("return 2"), std::string_view::npos);
    return std::vector{text("a1"), text("b2")};
  });
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, (std::vector<std::string>{"a1", "b2"}));
}

TEST(Scripts, AScriptThatTheServerRefusesIsAnError) {
  constexpr std::array<std::string_view, 2> kTexts = {"return 1", "return"};
  const auto names = load_scripts(kTexts, [](const CommandList&) -> Replies {
    return std::vector{text("a1"), error("ERR wrong")};
  });
  ASSERT_FALSE(names);
  EXPECT_EQ(names.error().code, ErrorCode::kDenied);
  EXPECT_EQ(names.error().message, "loading a script: ERR wrong");
  const auto away = load_scripts(kTexts, [](const CommandList&) -> Replies {
    return Error{ErrorCode::kUnavailable, "away"};
  });
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().code, ErrorCode::kUnavailable);
}

/// A server that knows scripts, or forgets them.
struct Server {
  int loads = 0;
  int asks = 0;
  int forgets = 0;  ///< how many of the next calls find the scripts forgotten

  Replies run(std::string& sha) {
    return ask_with_scripts(
        sha,
        [&]() -> Status {
          ++loads;
          sha = "known";
          return {};
        },
        [&]() -> Replies {
          ++asks;
          EXPECT_EQ(sha, "known");
          if (forgets == 0) return std::vector{text("done")};
          --forgets;
          return std::vector{text("done"), error("NOSCRIPT No matching script")};
        });
  }
};

TEST(Scripts, AreLoadedOnce) {
  Server server;
  std::string sha;
  ASSERT_TRUE(server.run(sha));
  ASSERT_TRUE(server.run(sha));
  EXPECT_EQ(server.loads, 1);
  EXPECT_EQ(server.asks, 2);
}

TEST(Scripts, AreLoadedAgainIfTheServerHasForgottenThem) {
  Server server;
  std::string sha = "known";
  server.forgets = 1;
  const auto replies = server.run(sha);
  ASSERT_TRUE(replies);
  EXPECT_EQ(replies->size(), 1U);
  EXPECT_EQ(server.loads, 1);
  EXPECT_EQ(server.asks, 2);
}

TEST(Scripts, AServerThatAlwaysForgetsCountsAsAway) {
  Server server;
  std::string sha;
  server.forgets = 10;
  const auto replies = server.run(sha);
  ASSERT_FALSE(replies);
  EXPECT_EQ(replies.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(server.asks, 2);
}

}  // namespace
}  // namespace shingled::storage::redis
