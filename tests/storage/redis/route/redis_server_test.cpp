// Covers storage/redis/route/redis_connection.cpp.
// Faults that a real server does not produce on demand: a fake server sends the texts of the test.
#include "storage/redis/route/redis_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "config/system/bound_socket.h"
#include "config/system/unix_address.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::redis {
namespace {

using ::testing::HasSubstr;

/// Accepts connections one after the other. It sends the n-th text to the n-th one and closes it,
/// or leaves it open without a further reply if the text ends with '~'.
class FakeServer {
 public:
  explicit FakeServer(std::vector<std::string> texts) : texts_(std::move(texts)) {
    auto bound = bind_socket(*unix_address(path()), {.backlog = 16});
    EXPECT_TRUE(bound);
    if (bound) listener_ = std::move(bound->fd);
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }
  [[nodiscard]] std::string path() const { return folder_.file("fake"); }
  [[nodiscard]] SocketSpec address() const { return {SocketSpec::Kind::kUnix, "", 0, path()}; }

 private:
  void serve(const std::stop_token& stop) {
    std::vector<UniqueFd> open;
    for (const std::string& text : texts_) {
      pollfd wait{listener_.get(), POLLIN, 0};
      while (::poll(&wait, 1, 20) == 0) {
        if (stop.stop_requested()) return;
      }
      UniqueFd peer(::accept(listener_.get(), nullptr, nullptr));
      std::array<char, 4096> ignored{};
      (void)!::read(peer.get(), ignored.data(), ignored.size());
      const bool stays = text.ends_with('~');
      (void)!::send(peer.get(), text.data(), text.size() - (stays ? 1 : 0), MSG_NOSIGNAL);
      if (stays) open.push_back(std::move(peer));
    }
    while (!stop.stop_requested()) std::this_thread::yield();
  }

  shingled::testing::TemporaryDirectory folder_;
  std::vector<std::string> texts_;
  UniqueFd listener_;
  std::jthread thread_;
};

class RedisServerTest : public ::testing::Test {
 protected:
  Result<std::vector<RedisReply>> ask(RedisServer& server, std::size_t times = 1,
                                      std::chrono::milliseconds within = std::chrono::seconds(20)) {
    CommandList commands;
    for (std::size_t i = 0; i < times; ++i) commands.add({"PING"});
    return server.ask(commands, clock_.now() + within);
  }
  SystemClock clock_;
  NullLogger logger_;
};

struct Fault {
  const char* why;
  std::string says;
  ErrorCode code;
  const char* message;
};

TEST_F(RedisServerTest, EveryFaultIsAnErrorAndMeansAway) {
  const Fault cases[] = {
      {"closes at once", "", ErrorCode::kUnavailable, "closed"},
      {"closes within a reply", "$10\r\nabc", ErrorCode::kUnavailable, "closed"},
      {"closes after one of two replies", "+PONG\r\n", ErrorCode::kUnavailable, "closed"},
      {"never ends its reply", "$10\r\nabc~", ErrorCode::kTimeout, "no answer"},
      {"speaks another protocol", "220 mail.example ESMTP\r\n~", ErrorCode::kCorrupt,
       "not a reply"},
      {"announces too many elements", "*2147483647\r\n~", ErrorCode::kLimit, "too large"},
      {"still loads its data", "-LOADING Redis is loading\r\n+PONG\r\n~", ErrorCode::kDenied,
       "LOADING"},
      {"is a replica", "+PONG\r\n-READONLY You can't write\r\n~", ErrorCode::kDenied, "READONLY"}};
  for (const Fault& c : cases) {
    FakeServer fake({c.says});
    RedisServer server(fake.address(), {}, clock_, logger_);
    const auto within = c.code == ErrorCode::kTimeout ? std::chrono::milliseconds(20)
                                                      : std::chrono::milliseconds(20'000);
    const auto replies = ask(server, 2, within);
    ASSERT_FALSE(replies) << c.why;
    EXPECT_EQ(replies.error().code, c.code) << c.why << ": " << replies.error().message;
    EXPECT_THAT(replies.error().message, HasSubstr(c.message)) << c.why;
    EXPECT_FALSE(server.is_up()) << c.why;
  }
}

TEST_F(RedisServerTest, AnErrorOfOneCommandIsItsReply) {
  FakeServer fake({"-WRONGTYPE Operation\r\n+PONG\r\n~"});
  RedisServer server(fake.address(), {}, clock_, logger_);
  const auto replies = ask(server, 2);
  ASSERT_TRUE(replies) << replies.error().message;
  EXPECT_TRUE(replies->at(0).is_error("WRONGTYPE"));
  EXPECT_EQ(replies->at(1).text, "PONG");
  EXPECT_TRUE(server.is_up());
}

// In a cluster a frozen server takes all the time of the others.
TEST_F(RedisServerTest, ADeadlineThatHasPassedSaysNothingAboutTheServer) {
  FakeServer fake({"+PONG\r\n~"});
  RedisServer server(fake.address(), {}, clock_, logger_);
  const auto late = ask(server, 1, std::chrono::milliseconds(0));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(server.is_up());
  EXPECT_TRUE(ask(server));
}

/// The real clock, which sockets need, plus a shift that the test sets.
class ShiftedClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return clock_.now() + shift_; }
  [[nodiscard]] WallTime wall() const override { return clock_.wall(); }
  void advance(Duration by) { shift_ += by; }

 private:
  SystemClock clock_;
  Duration shift_{};
};

TEST_F(RedisServerTest, WhileAServerIsAwayThePausesBetweenTriesGetLonger) {
  shingled::testing::TemporaryDirectory folder;
  ShiftedClock clock;
  RedisServer server({SocketSpec::Kind::kUnix, "", 0, folder.file("none")}, {}, clock, logger_);
  CommandList commands;
  commands.add({"PING"});
  const auto is_tried = [&] {
    const auto replies = server.ask(commands, clock.now() + std::chrono::seconds(20));
    return replies.error().message.find("known to be away") == std::string::npos;
  };
  EXPECT_TRUE(is_tried());
  // Each pause is longer than half of the next one; the last one has the maximum length.
  for (Duration pause = RedisServer::kAwayMin; pause < RedisServer::kAwayMax; pause *= 2) {
    clock.advance(RedisServer::kAwayMax);
    EXPECT_TRUE(is_tried());
    EXPECT_FALSE(is_tried());
  }
  clock.advance(RedisServer::kAwayMax / 2);
  EXPECT_FALSE(is_tried());
  clock.advance(RedisServer::kAwayMax);
  EXPECT_TRUE(is_tried());
}

TEST_F(RedisServerTest, TheErrorOfARefusedLoginDoesNotContainThePassword) {
  FakeServer fake({"-WRONGPASS invalid username-password pair\r\n~"});
  RedisServer server(fake.address(), {.username = "", .password = "hunter2", .db = 0}, clock_,
                     logger_);
  const auto replies = ask(server);
  ASSERT_FALSE(replies);
  EXPECT_EQ(replies.error().code, ErrorCode::kDenied);
  EXPECT_EQ(replies.error().message.find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace shingled::storage::redis
