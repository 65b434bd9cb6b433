// Strangers flood the service on TCP. Other clients must not notice it, and it must not cost more
// memory than the options allow.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/server/tcp_worker.h"
#include "tests/storage/server/tcp_fixture.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::server {
namespace {

using testing::eventually;
using testing::UdpPeer;

class TcpFloodTest : public TcpServerFixture {
 protected:
  using Peers = std::vector<std::unique_ptr<TcpPeer>>;

  TcpFloodTest() {
    rlimit files{};
    (void)getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
    files_ = files.rlim_cur;
  }
  /// Connections from `from` that send `first` and nothing more.
  Peers crowd(std::size_t count, const char* from, const Bytes& first) {
    Peers peers;
    for (std::size_t i = 0; i < count; ++i) {
      peers.push_back(std::make_unique<TcpPeer>(address(), TcpPeer::Options{.from = from}));
      if (!first.empty()) (void)peers.back()->send_some(first);
    }
    return peers;
  }
  void expect_others_served() {
    TcpPeer other(address(), TcpPeer::Options{.from = "127.0.0.99"});
    EXPECT_TRUE(exchange(other, protocol::CommandCode::kCheck, 1));
    UdpPeer datagrams;
    datagrams.send(packet_of(protocol::CommandCode::kPing, 2), address());
    EXPECT_TRUE(datagrams.receive());
  }
  /// Clients that read no reply and have a small receive buffer.
  Peers slow_ones(std::size_t count) {
    Peers peers;
    for (std::size_t i = 0; i < count; ++i) {
      peers.push_back(std::make_unique<TcpPeer>(
          address(), TcpPeer::Options{.from = "127.0.0.2", .receive_buffer = 4096}));
    }
    return peers;
  }
  /// All clients send requests until no more are accepted for a while; calls `meanwhile` often.
  template <typename Meanwhile>
  void stuff(const Peers& peers, const Meanwhile& meanwhile) {
    Bytes requests;
    for (std::uint32_t tag = 1; tag <= 1000; ++tag)
      ASSERT_TRUE(protocol::append_frame(packet_of(protocol::CommandCode::kCheck, tag), requests));
    std::vector<std::size_t> at(peers.size());
    for (TimePoint last = clock_.now(); clock_.now() < last + std::chrono::milliseconds(300);) {
      for (std::size_t i = 0; i < peers.size(); ++i) {
        const std::size_t sent = peers[i]->send_some(BytesView(requests).subspan(at[i]));
        if (sent != 0) last = clock_.now();
        at[i] = (at[i] + sent) % requests.size();
      }
      meanwhile();
    }
  }

  rlim_t files_ = 0;
};

TEST_F(TcpFloodTest, ThousandsOfOneSourceDoNotTakeThePlacesOfAnother) {
  constexpr std::size_t kCrowd = 2000;
  if (files_ < kCrowd + 500) GTEST_SKIP() << "not enough descriptors are allowed";
  options_.tcp_connections_max = 500;
  options_.tcp_source_connections_max = 100;
  start();
  const Peers silent = crowd(kCrowd, "127.0.0.2", {});
  EXPECT_TRUE(
      eventually([&] { return counters().tcp_connections + counters().tcp_refused == kCrowd; }));
  EXPECT_LE(counters().tcp_connections, 100U);
  expect_others_served();
}

TEST_F(TcpFloodTest, HalfOpenConnectionsFromEverywhereMakeRoom) {
  options_.threads = 1;
  options_.tcp_connections_max = 40;
  options_.tcp_source_connections_max = 10;
  start();
  std::vector<Peers> crowds;
  for (int source = 2; source <= 12; ++source)
    crowds.push_back(crowd(10, ("127.0.0." + std::to_string(source)).c_str(), {76, 0, 4}));
  EXPECT_TRUE(
      eventually([&] { return counters().tcp_connections + counters().tcp_refused == 110; }));
  EXPECT_EQ(server_->connections(), 40U);
  // They are idle: after one idle second, one of them makes room.
  EXPECT_TRUE(eventually([&] {
    TcpPeer other(address(), TcpPeer::Options{.from = "127.0.0.99"});
    return exchange(other, protocol::CommandCode::kCheck, 1).has_value();
  }));
  EXPECT_GT(counters().tcp_displaced, 0U);
}

TEST_F(TcpFloodTest, AFewBusySourcesWithinTheirLimitsDoNotKeepOthersOut) {
  options_.threads = 1;
  options_.tcp_connections_max = 48;
  options_.tcp_source_connections_max = 3;
  start();
  std::vector<Peers> crowds;
  for (int source = 2; source <= 18; ++source) {
    crowds.push_back(crowd(3, ("127.0.0." + std::to_string(source)).c_str(), {}));
  }
  EXPECT_TRUE(
      eventually([&] { return counters().tcp_connections + counters().tcp_refused >= 51; }));
  EXPECT_EQ(server_->connections(), 48U);
  // None of them is idle, and yet the next client is served at once.
  for (const Peers& peers : crowds) {
    for (const auto& peer : peers) (void)peer->send_some(Bytes{76, 0, 4});
  }
  expect_others_served();
  EXPECT_GT(counters().tcp_displaced, 0U);
  EXPECT_LE(server_->connections(), 48U);
}

TEST_F(TcpFloodTest, AClientThatDoesNotReadHoldsLittleMemoryAndIsClosed) {
  constexpr std::size_t kSlow = 20;
  options_.tcp_timeout = std::chrono::milliseconds(1000);
  start();
  const Peers peers = slow_ones(kSlow);
  stuff(peers, [&] { EXPECT_LE(server_->unsent_bytes(), kSlow * TcpWorker::kUnsentOfOneMax); });
  expect_others_served();
  EXPECT_TRUE(eventually([&] { return counters().tcp_slow == kSlow; }));
  EXPECT_TRUE(eventually([&] { return server_->connections() == 0; }));
  EXPECT_EQ(server_->unsent_bytes(), 0U);
}

TEST_F(TcpFloodTest, AllClientsTogetherStayWithinTheMemoryBudget) {
  options_.tcp_unsent_bytes_max = 64 * 1024;
  start();
  const Peers peers = slow_ones(100);
  stuff(peers, [&] { EXPECT_LE(server_->unsent_bytes(), options_.tcp_unsent_bytes_max); });
  EXPECT_TRUE(eventually([&] { return counters().tcp_slow > 0; }));
  expect_others_served();
}

// Endless requests on one connection are read only as fast as the client reads the replies.
TEST_F(TcpFloodTest, AClientWithManyRequestsGetsAllAnswers) {
  start();
  TcpPeer peer(address());
  Bytes requests;
  constexpr std::uint32_t kBatch = 100;
  for (std::uint32_t tag = 0; tag < kBatch; ++tag)
    ASSERT_TRUE(protocol::append_frame(packet_of(protocol::CommandCode::kCheck, tag), requests));
  for (int batch = 0; batch < 100; ++batch) {
    peer.send(requests);
    for (std::uint32_t tag = 0; tag < kBatch; ++tag) {
      const auto reply = receive(peer);
      ASSERT_TRUE(reply);
      EXPECT_EQ(reply->tag, tag);
    }
  }
  EXPECT_EQ(counters().checks, 100U * kBatch);
}

TEST_F(TcpFloodTest, AFloodOfUpdatesIsReadOnlyAsFastAsItIsCommitted) {
  start(FakeStore::Commit::kWhenTold);
  TcpPeer peer(address());
  Bytes writes;
  constexpr std::uint32_t kWrites = 2000;
  for (std::uint32_t tag = 1; tag <= kWrites; ++tag)
    ASSERT_TRUE(protocol::append_frame(packet_of(protocol::CommandCode::kWrite, tag), writes));
  std::size_t at = 0;
  std::uint32_t answered = 0;
  constexpr std::size_t kWaitingMax = TcpWorker::kUpdatesMax + TcpWorker::kRequestsOfAReadMax;
  ASSERT_TRUE(eventually([&] {
    at += peer.send_some(BytesView(writes).subspan(at));
    EXPECT_LE(store_->waiting(), kWaitingMax);
    store_->commit();
    while (peer.receive(std::chrono::milliseconds(0))) ++answered;
    return answered == kWrites;
  }));
  EXPECT_EQ(store_->applied(), kWrites);
}

}  // namespace
}  // namespace shingled::storage::server
