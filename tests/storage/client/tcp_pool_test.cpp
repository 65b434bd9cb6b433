#include "storage/client/tcp_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/tcp_listener.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::TcpListener;

constexpr TimePoint kStart{seconds(1'000'000)};

RemoteOptions options(TcpUse use, double threshold = 1) {
  RemoteOptions out;
  out.tcp = use;
  out.tcp_threshold = threshold;
  out.tcp_retry_delay = seconds(10);
  return out;
}

/// Waits until a connect is over; the pool itself never waits.
TcpPool::Link settled(TcpPool::Link link) {
  pollfd wait{link.fd.get(), POLLOUT, 0};
  (void)poll(&wait, 1, 20'000);
  return link;
}

TEST(TcpPool, HasNoConnectionIfTcpIsOff) {
  TcpListener server;
  TcpPool pool(options(TcpUse::kNo));
  EXPECT_FALSE(pool.take(server.address(), 1000, kStart));
}

TEST(TcpPool, WithYesConnectsAtOnceAndKeepsTheConnection) {
  TcpListener server;
  TcpPool pool(options(TcpUse::kYes));
  auto link = pool.take(server.address(), 1, kStart);
  ASSERT_TRUE(link);
  const UniqueFd accepted = server.accept();
  const int fd = link->fd.get();
  pool.give_back(server.address(), settled(*std::move(link)));
  const auto again = pool.take(server.address(), 1, kStart);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->connected);
  EXPECT_EQ(again->fd.get(), fd);
  const auto other = pool.take(server.address(), 1, kStart);
  ASSERT_TRUE(other) << "two exchanges at once have two connections";
  EXPECT_NE(other->fd.get(), fd);
}

TEST(TcpPool, DropsConnectionsThatTheServerHasClosed) {
  TcpListener server;
  TcpPool pool(options(TcpUse::kYes));
  auto link = settled(*pool.take(server.address(), 1, kStart));
  link.connected = true;
  server.accept().reset();
  pollfd end{link.fd.get(), POLLIN, 0};
  ASSERT_EQ(poll(&end, 1, 20'000), 1);
  pool.give_back(server.address(), std::move(link));
  const auto fresh = pool.take(server.address(), 1, kStart);
  ASSERT_TRUE(fresh) << "the end of an idle connection is not a failure";
  EXPECT_TRUE(server.accept(seconds(20)));
}

TEST(TcpPool, DropsAConnectionWithUnrequestedData) {
  TcpListener server;
  TcpPool pool(options(TcpUse::kYes));
  auto link = settled(*pool.take(server.address(), 1, kStart));
  link.connected = true;
  const int fd = link.fd.get();
  const UniqueFd accepted = server.accept();
  ASSERT_EQ(::write(accepted.get(), "x", 1), 1);
  pollfd end{fd, POLLIN, 0};
  ASSERT_EQ(poll(&end, 1, 20'000), 1);
  pool.give_back(server.address(), std::move(link));
  const auto fresh = pool.take(server.address(), 1, kStart);
  ASSERT_TRUE(fresh);
  EXPECT_TRUE(server.accept()) << "a new connection";
}

TEST(TcpPool, UsesUdpForAWhileAfterAFailure) {
  TcpListener server;
  TcpPool pool(options(TcpUse::kYes));
  ASSERT_TRUE(pool.take(server.address(), 1, kStart));
  pool.failed(server.address(), kStart);
  EXPECT_FALSE(pool.take(server.address(), 1, kStart + milliseconds(9'999)));
  EXPECT_TRUE(pool.take(server.address(), 1, kStart + seconds(10)));
  const TcpListener other;
  EXPECT_TRUE(pool.take(other.address(), 1, kStart)) << "the delay is per address";
}

TEST(TcpPool, ForgetsAServerThatWasRemoved) {
  TcpListener server;
  const TcpListener other;
  TcpPool pool(options(TcpUse::kYes));
  auto link = pool.take(server.address(), 1, kStart);
  ASSERT_TRUE(link && pool.take(other.address(), 1, kStart));
  pool.failed(other.address(), kStart);
  pool.keep_only({other.address()});
  const UniqueFd accepted = server.accept();
  pool.give_back(server.address(), *std::move(link));
  pollfd end{accepted.get(), POLLIN, 0};
  EXPECT_EQ(poll(&end, 1, 20'000), 1) << "closed, not kept for a removed server";
  EXPECT_FALSE(pool.take(other.address(), 1, kStart)) << "the other servers are not changed";
}

TEST(TcpPool, WithAutoConnectsInTheBackgroundIfThereAreManyQuestions) {
  TcpListener server;
  TcpPool pool(options(TcpUse::kAuto, 5));
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(pool.take(server.address(), 1, kStart));
  EXPECT_FALSE(server.accept(milliseconds(0))) << "four questions a second are few";
  EXPECT_FALSE(pool.take(server.address(), 1, kStart)) << "this one goes over UDP";
  const UniqueFd accepted = server.accept();
  ASSERT_TRUE(accepted);
  // The connect is over on this side, too, or will be at one of the next calls.
  std::optional<TcpPool::Link> link;
  for (int i = 0; i < 1'000'000 && !link; ++i) link = pool.take(server.address(), 1, kStart);
  ASSERT_TRUE(link);
  EXPECT_TRUE(link->connected);
}

TEST(TcpPool, GivesUpAConnectWithoutAnswer) {
  testing::UdpPeer udp_only;  // nobody listens on this port for TCP
  TcpPool pool(options(TcpUse::kYes));
  auto link = pool.take(udp_only.address(), 1, kStart);
  if (link) pool.give_back(udp_only.address(), settled(*std::move(link)));
  EXPECT_FALSE(pool.take(udp_only.address(), 1, kStart + seconds(1)));
  EXPECT_FALSE(pool.take(udp_only.address(), 1, kStart + seconds(5))) << "within the delay";
}

TEST(TcpPool, KeepsABoundedNumberOfIdleConnections) {
  TcpListener server;
  TcpPool pool(options(TcpUse::kYes));
  std::vector<TcpPool::Link> links;
  std::vector<UniqueFd> accepted;
  for (std::size_t i = 0; i < TcpPool::kIdleMax + 3; ++i) {
    links.push_back(settled(*pool.take(server.address(), 1, kStart)));
    accepted.push_back(server.accept());
  }
  for (TcpPool::Link& link : links) pool.give_back(server.address(), std::move(link));
  std::size_t closed = 0;
  for (const UniqueFd& fd : accepted) {
    pollfd end{fd.get(), POLLIN, 0};
    closed += poll(&end, 1, 0) == 1 ? 1U : 0U;
  }
  EXPECT_EQ(closed, 3U);
}

struct RateCase {
  const char* why;
  std::vector<std::pair<int, std::uint64_t>> questions;  // milliseconds, how many
  int at;
  double rate;
};

TEST(QuestionRate, CountsTheLastSecond) {
  const RateCase cases[] = {
      {"nothing yet", {}, 0, 0},
      {"all in one moment", {{0, 5}}, 0, 5},
      {"within a second", {{0, 5}, {900, 5}}, 900, 10},
      {"the previous second counts less and less", {{0, 10}, {1000, 0}}, 1500, 5},
      {"and then not at all", {{0, 10}, {1000, 2}}, 2000, 2},
      {"a pause forgets everything", {{0, 10}, {5000, 1}}, 5000, 1},
  };
  for (const RateCase& c : cases) {
    QuestionRate rate;
    for (const auto& [when, how_many] : c.questions)
      rate.add(how_many, kStart + milliseconds(when));
    EXPECT_DOUBLE_EQ(rate.per_second(kStart + milliseconds(c.at)), c.rate) << c.why;
  }
}

}  // namespace
}  // namespace shingled::storage::client
