// Which calls share an exchange, and which get no reply. The route is a fake.
#include "storage/redis/buckets/script_batcher.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <set>
#include <thread>

#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

RedisReply text_reply(std::string text) {
  return {.kind = RedisReply::Kind::kText, .text = std::move(text)};
}

/// Answers each call of a command with the key of the call. Exchanges wait while it is held.
class StandIn final : public RedisRoute {
 public:
  explicit StandIn(bool splits = false) : splits_(splits) {}

  Result<std::vector<RedisReply>> ask(const CommandList& commands, TimePoint deadline) override {
    std::unique_lock lock(mutex_);
    if (commands.bytes().find("SCRIPT") != std::string_view::npos) {
      forgets_ = false;
      return std::vector<RedisReply>{text_reply(std::string(40, 'a'))};
    }
    ++asked_;
    changed_.notify_all();
    if (!changed_.wait_until(lock, deadline, [&] { return !held_; }))
      return Error{ErrorCode::kTimeout, "no answer in time"};
    if (fails_) return Error{ErrorCode::kUnavailable, "away"};
    commands_ += commands.size();
    std::vector<RedisReply> replies;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const std::string_view bytes = commands.command(i);
      if (forgets_ && bytes.find("$7\r\nEVALSHA") != std::string_view::npos) {
        replies.push_back({.kind = RedisReply::Kind::kError, .text = "NOSCRIPT No matching"});
        continue;
      }
      RedisReply reply{.kind = RedisReply::Kind::kArray};
      // Each call has its own key here, so the command has one key per call.
      for (std::size_t at = bytes.find("key:"); at != std::string_view::npos;
           at = bytes.find("key:", at + 1))
        reply.elements.push_back(text_reply(std::string(bytes.substr(at, 7))));
      replies.push_back(std::move(reply));
    }
    return replies;
  }
  [[nodiscard]] bool is_up() const override { return true; }
  [[nodiscard]] bool splits_keys() const override { return splits_; }

  void hold(bool on) {
    const std::lock_guard lock(mutex_);
    held_ = on;
    changed_.notify_all();
  }
  void fail() { fails_ = true; }
  void forget() { forgets_ = true; }
  void wait_for_exchanges(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_ >= count; });
  }
  [[nodiscard]] std::size_t commands() {
    const std::lock_guard lock(mutex_);
    return commands_;
  }

 private:
  const bool splits_;
  bool fails_ = false;
  bool forgets_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  std::size_t asked_ = 0;
  std::size_t commands_ = 0;
};

std::string key_of(int i) { return "key:" + std::to_string(100 + i); }

std::vector<ScriptCall> calls_of(const std::vector<int>& numbers) {
  std::vector<ScriptCall> calls;
  calls.reserve(numbers.size());
  for (const int i : numbers)
    calls.push_back({.verb = ScriptCall::Verb::kSet, .keys = {key_of(i)}, .words = {"x"}});
  return calls;
}

std::vector<std::string> texts(const Result<std::vector<RedisReply>>& replies) {
  std::vector<std::string> out;
  if (!replies) return {"error"};
  out.reserve(replies->size());
  for (const RedisReply& reply : *replies) out.push_back(reply.text);
  return out;
}

class ScriptBatcherTest : public ::testing::Test {
 protected:
  [[nodiscard]] TimePoint soon() const { return clock_.now() + seconds(60); }

  SystemClock clock_;
  StandIn redis_;
  ScriptBatcher batcher_{redis_, clock_};
};

TEST_F(ScriptBatcherTest, GivesEachCallItsOwnReply) {
  EXPECT_THAT(texts(batcher_.run(calls_of({3, 1, 2}), soon())),
              ElementsAre("key:103", "key:101", "key:102"));
  EXPECT_EQ(redis_.commands(), 1U) << "calls of one kind are one command";
  EXPECT_EQ(batcher_.exchanges(), 1U);
}

TEST_F(ScriptBatcherTest, TakesWaitingCallsAlong) {
  constexpr int kOthers = 20;
  redis_.hold(true);
  std::vector<std::vector<std::string>> got(2 + kOthers);
  std::vector<std::jthread> threads;
  const auto start = [&](int i) {
    threads.emplace_back([&, i] {
      got[static_cast<std::size_t>(i)] = texts(batcher_.run(calls_of({i, i + 50}), soon()));
    });
  };
  for (int i = 0; i < 2; ++i) {
    start(i);
    redis_.wait_for_exchanges(static_cast<std::size_t>(i) + 1);
  }
  for (int i = 2; i < 2 + kOthers; ++i) start(i);
  while (batcher_.waiting() < kOthers) std::this_thread::yield();
  redis_.hold(false);
  threads.clear();
  for (int i = 0; i < 2 + kOthers; ++i) {
    EXPECT_THAT(got[static_cast<std::size_t>(i)], ElementsAre(key_of(i), key_of(i + 50)));
  }
  EXPECT_EQ(batcher_.exchanges(), 3U) << "the two under way, and one for all others";
}

TEST_F(ScriptBatcherTest, AnExchangeIsBounded) {
  constexpr std::size_t kLarge = ScriptBatcher::kKeysMax / 2 + 1;
  redis_.hold(true);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      std::vector<ScriptCall> calls = calls_of({1});
      calls[0].keys.assign(kLarge, "key:101");
      calls[0].words.assign(kLarge, "x");
      EXPECT_TRUE(batcher_.run(std::move(calls), soon()));
    });
  }
  redis_.wait_for_exchanges(ScriptBatcher::kExchanges);
  while (batcher_.waiting() < 6 - ScriptBatcher::kExchanges) std::this_thread::yield();
  redis_.hold(false);
  threads.clear();
  EXPECT_EQ(batcher_.exchanges(), 6U) << "each call has its own exchange";
}

TEST_F(ScriptBatcherTest, NoThreadWaitsBeyondItsDeadline) {
  redis_.hold(true);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] { EXPECT_TRUE(batcher_.run(calls_of({i}), soon())); });
    redis_.wait_for_exchanges(static_cast<std::size_t>(i) + 1);
  }
  const auto impatient = batcher_.run(calls_of({5}), clock_.now() + milliseconds(20));
  ASSERT_FALSE(impatient);
  EXPECT_EQ(impatient.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(batcher_.waiting(), 0U) << "a thread that has left is not waiting";
  redis_.hold(false);
  threads.clear();
  const auto late = batcher_.run(calls_of({5}), clock_.now());
  EXPECT_FALSE(late);
  EXPECT_THAT(texts(batcher_.run(calls_of({6}), soon())), ElementsAre("key:106"));
}

TEST_F(ScriptBatcherTest, AFailedExchangeIsAnErrorForAllItsCalls) {
  redis_.hold(true);
  redis_.fail();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto replies = batcher_.run(calls_of({i}), soon());
      ASSERT_FALSE(replies);
      EXPECT_EQ(replies.error().code, ErrorCode::kUnavailable);
    });
  }
  while (batcher_.waiting() < 8 - ScriptBatcher::kExchanges) std::this_thread::yield();
  redis_.hold(false);
}

TEST_F(ScriptBatcherTest, SendsTheScriptAgainToAServerThatForgotIt) {
  EXPECT_THAT(texts(batcher_.run(calls_of({3}), soon())), ElementsAre("key:103"));
  redis_.forget();
  EXPECT_THAT(texts(batcher_.run(calls_of({1, 2}), soon())), ElementsAre("key:101", "key:102"));
  EXPECT_EQ(redis_.commands(), 3U) << "the refused command is sent again";
}

TEST(ScriptBatcherInACluster, MakesOneCommandPerSlot) {
  SystemClock clock;
  StandIn redis(/*splits=*/true);
  ScriptBatcher batcher(redis, clock);
  const std::set<std::uint16_t> slots = {key_slot(key_of(1)), key_slot(key_of(2)),
                                         key_slot(key_of(3))};
  const auto replies = batcher.run(calls_of({1, 2, 1, 3}), clock.now() + seconds(60));
  EXPECT_THAT(texts(replies).size(), 4U);
  EXPECT_EQ(redis.commands(), slots.size());
}

}  // namespace
}  // namespace shingled::storage::redis
