// Covers storage/redis/counters/scripted_route.cpp, with a Redis that refuses, and with a server
// that answers nonsense.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "config/system/bound_socket.h"
#include "config/system/unix_address.h"
#include "tests/storage/redis/counters/shared_fixture.h"

namespace shingled::storage::redis {
namespace {

using std::chrono::milliseconds;

using SharedRefusalsTest = SharedCountersTest;

// It answers questions meanwhile. That is one outage, not one for each question.
TEST_F(SharedRefusalsTest, WhatRedisRefusesIsSentLaterAndReportedOnce) {
  struct Refusal {
    std::vector<std::string_view> begin;
    std::vector<std::string_view> end;
  };
  const std::vector<Refusal> refusals = {
      {{"CONFIG", "SET", "maxmemory", "1"}, {"CONFIG", "SET", "maxmemory", "0"}},
      {{"CONFIG", "SET", "min-replicas-to-write", "1"},
       {"CONFIG", "SET", "min-replicas-to-write", "0"}},
      {{"REPLICAOF", "127.0.0.1", "1"}, {"REPLICAOF", "NO", "ONE"}},
      {{"ACL", "SETUSER", "default", "-evalsha"}, {"ACL", "SETUSER", "default", "+evalsha"}}};
  const Store store = open();
  RandomCalls calls(8);
  const auto tell = [&](const std::vector<std::string_view>& words) {
    CommandList commands;
    commands.begin(words.size());
    for (const std::string_view word : words) commands.word(word);
    auto connection = RedisConnection::open(redis_.address(), {}, soon(), clock_);
    ASSERT_TRUE(connection);
    const auto replies = (*connection)->ask(commands, soon());
    ASSERT_TRUE(replies && !replies->front().is_error()) << words[0];
  };
  std::vector<std::string> expected;
  for (const Refusal& refusal : refusals) {
    for (int i = 0; i < 5; ++i) add(*store, calls.next());
    deliver(*store);
    tell(refusal.begin);
    const TimePoint end = clock_.now() + milliseconds(300);
    for (int i = 0; i < 20 || clock_.now() < end; ++i) {
      if (i < 20) add(*store, calls.next());
      EXPECT_FALSE(store->deliver(soon()));
      const CounterKey host = key_of("host1");
      const CounterAnswers answers = store->ask({&host, 1}, kWindows, soon());
      const Amounts wanted = oracle_.sum(host, kWindows[4], store->present_slot());
      EXPECT_TRUE(!answers.known[0] || answers.of(0, 4) == wanted);
    }
    tell(refusal.end);
    while (!store->deliver(soon())) std::this_thread::yield();
    expect_oracle(*store);
    expected.insert(expected.end(), {"counters_redis_away", "counters_redis_back"});
  }
  EXPECT_EQ(logger_.events(), expected);
}

/// A server that loads scripts and then answers anything.
class NonsenseServer {
 public:
  NonsenseServer() {
    auto bound = bind_socket(*unix_address(folder_.file("nonsense")), {.backlog = 16});
    listener_ = std::move(bound->fd);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        pollfd wait{listener_.get(), POLLIN, 0};
        if (::poll(&wait, 1, 20) <= 0) continue;
        const UniqueFd client(::accept(listener_.get(), nullptr, nullptr));
        serve(client, stop);
      }
    });
  }
  [[nodiscard]] SocketSpec address() const {
    return {SocketSpec::Kind::kUnix, "", 0, folder_.file("nonsense")};
  }
  [[nodiscard]] int replies() const { return replies_.load(); }

 private:
  void serve(const UniqueFd& client, const std::stop_token& stop) {
    static const std::vector<std::string> kReplies = {
        "+OK\r\n",
        "$3\r\nabc\r\n",
        "*0\r\n",
        "*1\r\n*-1\r\n",
        "*2\r\n$0\r\n\r\n*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n",
        "*2\r\n$3\r\nabc\r\n*0\r\n",
        "*2\r\n$20\r\n99999999999999999999\r\n*0\r\n",
        "*2\r\n$0\r\n\r\n:5\r\n",
        "-ERR no\r\n",
        "-NOSCRIPT no\r\n",
        "$-1\r\n",
        "*-1\r\n",
        "!\r\n",
        "-OOM command not allowed\r\n"};
    std::array<char, 65'536> bytes{};
    while (!stop.stop_requested()) {
      pollfd wait{client.get(), POLLIN, 0};
      if (::poll(&wait, 1, 20) <= 0) continue;
      const ssize_t count = ::read(client.get(), bytes.data(), bytes.size());
      if (count <= 0) return;
      const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
      std::string out;
      for (std::size_t at = 0; (at = text.find("SCRIPT", at)) != std::string_view::npos; ++at)
        out += "$3\r\nsha\r\n";
      for (std::size_t at = 0; (at = text.find("EVALSHA", at)) != std::string_view::npos; ++at)
        out += kReplies[static_cast<std::size_t>(replies_++) % kReplies.size()];
      if (::send(client.get(), out.data(), out.size(), MSG_NOSIGNAL) < 0) return;
    }
  }

  testing::TemporaryDirectory folder_;
  UniqueFd listener_;
  std::atomic<int> replies_{0};
  std::jthread thread_;
};

TEST_F(SharedRefusalsTest, ARedisThatAnswersNonsenseIsUnknown) {
  NonsenseServer nonsense;
  options_.redis.servers = {nonsense.address()};
  options_.redis.timeout = milliseconds(100);
  const CounterKey host = key_of("example.org");
  {
    const Store store = open();
    while (nonsense.replies() < 60) {
      EXPECT_FALSE(store->ask({&host, 1}, kWindows, soon()).known[0]);
      add(*store, {{host}, {pair_of("a", "b")}, message()});
      EXPECT_FALSE(store->forget({&host, 1}, soon()));
      std::this_thread::yield();
    }
  }
}

}  // namespace
}  // namespace shingled::storage::redis
