#include "storage/redis/route/scripts.h"

#include <gmock/gmock.h>

#include <array>

namespace shingled::storage::redis {
namespace {

using ::testing::ElementsAre;

constexpr std::array<std::string_view, 2> kTexts = {"return 1", "return 2"};

RedisReply text(std::string what) {
  return {.kind = RedisReply::Kind::kText, .text = std::move(what)};
}
RedisReply error(std::string what) {
  return {.kind = RedisReply::Kind::kError, .text = std::move(what)};
}

/// Servers that know the scripts, or forget them. Answers each command with its number.
class FakeRoute final : public RedisRoute {
 public:
  Scripts::Replies ask(const CommandList& commands, TimePoint /*deadline*/) override {
    ++asks;
    std::vector<RedisReply> replies;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const std::string_view command = commands.command(i);
      slots.push_back(commands.slot(i));
      if (knows || command.find("EVALSHA") == std::string_view::npos) {
        replies.push_back(text(std::to_string(made++)));
      } else {
        replies.push_back(error("NOSCRIPT No matching script"));
      }
    }
    return replies;
  }
  Scripts::Replies ask_all(const CommandList& commands, TimePoint /*deadline*/) override {
    ++loads;
    if (is_away) return Error{ErrorCode::kUnavailable, "away"};
    EXPECT_EQ(commands.size(), 2U);
    EXPECT_NE(commands.command(1).find("return 2"), std::string_view::npos);
    knows = !forgets;
    return std::vector{text("a1"), second};
  }
  [[nodiscard]] bool is_up() const override { return true; }

  int asks = 0;
  int loads = 0;
  int made = 0;
  bool knows = false;
  bool forgets = false;
  bool is_away = false;
  RedisReply second = text("b2");
  std::vector<std::uint16_t> slots;
};

class ScriptsTest : public ::testing::Test {
 protected:
  /// A command that needs no script, then a call of one.
  Scripts::Replies call(Scripts::Again again = Scripts::Again::kAll) {
    return scripts_.call(
        [](CommandList& commands, Scripts::Names names) {
          commands.add({"GET", "key"}, 7);
          commands.add({"EVALSHA", names[1], "0"}, 9);
        },
        TimePoint(), again);
  }
  static std::vector<std::string> texts(const Scripts::Replies& replies) {
    std::vector<std::string> out;
    if (!replies) return {"error"};
    for (const RedisReply& reply : *replies) out.push_back(reply.text);
    return out;
  }

  FakeRoute route_;
  Scripts scripts_{route_, kTexts};
};

TEST_F(ScriptsTest, AreLoadedOnceInOrder) {
  EXPECT_TRUE(scripts_.names().empty());
  EXPECT_THAT(texts(call()), ElementsAre("0", "1"));
  EXPECT_THAT(texts(call()), ElementsAre("2", "3"));
  EXPECT_THAT(scripts_.names(), ElementsAre("a1", "b2"));
  EXPECT_EQ(route_.loads, 1);
  EXPECT_EQ(route_.asks, 2);
}

TEST_F(ScriptsTest, AreLoadedAgainIfAServerHasForgottenThem) {
  ASSERT_TRUE(scripts_.load(TimePoint()));
  route_.knows = false;
  EXPECT_THAT(texts(call()), ElementsAre("1", "2")) << "all commands are sent again";
  EXPECT_EQ(route_.loads, 2);
  EXPECT_EQ(route_.asks, 2);
}

TEST_F(ScriptsTest, WhatWasExecutedIsNotRepeatedIfItMustNotBe) {
  ASSERT_TRUE(scripts_.load(TimePoint()));
  route_.knows = false;
  EXPECT_THAT(texts(call(Scripts::Again::kForgotten)), ElementsAre("0", "1"));
  EXPECT_EQ(route_.asks, 2);
  EXPECT_THAT(route_.slots, ElementsAre(7, 9, 9)) << "the slot of a command goes with it";
}

TEST_F(ScriptsTest, AServerThatAlwaysForgetsIsAskedTwice) {
  route_.forgets = true;
  const auto replies = call();
  ASSERT_TRUE(replies);
  EXPECT_TRUE(any_error(*replies, "NOSCRIPT"));
  EXPECT_EQ(route_.asks, 2);
}

TEST_F(ScriptsTest, NothingIsAskedWithoutCommands) {
  const auto replies = scripts_.call([](CommandList&, Scripts::Names) {}, TimePoint());
  ASSERT_TRUE(replies);
  EXPECT_TRUE(replies->empty());
  EXPECT_EQ(route_.asks, 0);
}

TEST_F(ScriptsTest, AScriptThatTheServerRefusesIsAnError) {
  route_.second = error("ERR wrong");
  const auto refused = call();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kDenied);
  EXPECT_EQ(refused.error().message, "loading a script: ERR wrong");
  route_.is_away = true;
  const auto away = call();
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace shingled::storage::redis
