// Covers storage/server/connection_table.cpp, storage/server/tcp_worker.cpp.
// The service on TCP, through real sockets: what its clients see.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "config/system/stream_listener.h"
#include "storage/crypto/keypair.h"
#include "tests/storage/server/tcp_fixture.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::server {
namespace {

using testing::eventually;
using testing::UdpPeer;

class TcpServerTest : public TcpServerFixture {};

TEST_F(TcpServerTest, AnswersOnTheSamePortAsUdp) {
  start();
  TcpPeer peer(address());
  UdpPeer datagrams;
  for (std::uint32_t tag = 1; tag <= 3; ++tag) {
    const auto reply = exchange(peer, protocol::CommandCode::kPing, tag);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->tag, tag);
    datagrams.send(packet_of(protocol::CommandCode::kPing, tag), address());
    EXPECT_TRUE(datagrams.receive());
  }
  EXPECT_EQ(counters().tcp_connections, 1U);
  EXPECT_EQ(counters().pings, 6U);
}

TEST_F(TcpServerTest, ServesNoConnectionIfTcpIsTurnedOff) {
  options_.tcp_connections_max = 0;
  start();
  EXPECT_FALSE(TcpPeer(address()).connected());
  UdpPeer datagrams;
  datagrams.send(packet_of(protocol::CommandCode::kPing, 1), address());
  EXPECT_TRUE(datagrams.receive());
}

TEST_F(TcpServerTest, SpeaksIpv6) {
  if (UdpPeer("::1").address().port() == 0) GTEST_SKIP() << "this machine has no IPv6 loopback";
  options_.listen = {*SocketSpec::parse("inet6:0@::1")};
  start();
  TcpPeer peer(address());
  EXPECT_TRUE(exchange(peer, protocol::CommandCode::kPing, 1));
}

TEST_F(TcpServerTest, AnswersManyConnectionsAtOnce) {
  start();
  constexpr std::uint32_t kClients = 8;
  constexpr std::uint32_t kRequests = 200;
  std::atomic<std::uint32_t> answered{0};
  {
    std::vector<std::jthread> clients;
    for (std::uint32_t c = 0; c < kClients; ++c) {
      clients.emplace_back([&, c] {
        TcpPeer peer(address());
        std::set<std::uint32_t> open;
        for (std::uint32_t i = 0; i < kRequests; ++i) {
          const auto code =
              i % 4 == 0 ? protocol::CommandCode::kWrite : protocol::CommandCode::kCheck;
          peer.send_frame(packet_of(code, (c << 16) + i));
          open.insert((c << 16) + i);
        }
        while (!open.empty()) {  // in the order in which they finish
          const auto reply = receive(peer);
          if (!reply || open.erase(reply->tag) != 1) break;
          ++answered;
        }
      });
    }
  }
  EXPECT_EQ(answered, kClients * kRequests);
  EXPECT_EQ(counters().adds, kClients * kRequests / 4);
  EXPECT_EQ(counters().checks, kClients * kRequests * 3 / 4);
  EXPECT_TRUE(eventually([&] { return server_->connections() == 0; }));
}

TEST_F(TcpServerTest, SpeaksSealedAndInTheClearOnOneConnection) {
  const Keypair own = crypto::generate_keypair(random_);
  const Keypair client = crypto::generate_keypair(random_);
  const crypto::SharedKey key = *crypto::shared_key(client.secret_key, own.public_key);
  options_.keypair = {own};
  start();
  TcpPeer peer(address());
  for (std::uint32_t tag = 1; tag <= 4; ++tag) {
    const Bytes plain = packet_of(protocol::CommandCode::kCheck, tag);
    Bytes packet(crypto::kRequestSealBytes + plain.size());
    (void)crypto::seal_request(own.public_key, client.public_key, key, crypto::Nonce{1}, plain,
                               packet);
    peer.send_frame(tag % 2 == 0 ? packet : plain);
    auto reply = peer.receive();
    ASSERT_TRUE(reply);
    if (tag % 2 == 0) {
      Bytes opened(reply->size());
      opened.resize(crypto::open(key, *reply, opened).value_or(0));
      reply = opened;
    }
    EXPECT_EQ(protocol::decode_reply(*reply)->tag, tag);
  }
}

TEST_F(TcpServerTest, AnswersAnUpdateAfterItsCommitAndChecksMeanwhile) {
  start(FakeStore::Commit::kWhenTold);
  TcpPeer peer(address());
  peer.send_frame(packet_of(protocol::CommandCode::kWrite, 1));
  EXPECT_EQ(exchange(peer, protocol::CommandCode::kPing, 2)->tag, 2U);
  ASSERT_TRUE(eventually([&] { return store_->waiting() == 1; }));
  store_->commit();
  EXPECT_EQ(receive(peer)->tag, 1U);
  EXPECT_EQ(counters().adds, 1U);
}

// A client may fall back from TCP to UDP. If the update is sealed, its repeat has the same name.
TEST_F(TcpServerTest, CountsAnUpdateOnceOverBothTransports) {
  const Keypair own = crypto::generate_keypair(random_);
  const Keypair client = crypto::generate_keypair(random_);
  options_.keypair = {own};
  start();
  const Bytes plain = packet_of(protocol::CommandCode::kWrite, 1);
  Bytes packet(crypto::kRequestSealBytes + plain.size());
  (void)crypto::seal_request(own.public_key, client.public_key,
                             *crypto::shared_key(client.secret_key, own.public_key),
                             crypto::Nonce{1}, plain, packet);
  TcpPeer peer(address());
  peer.send_frame(packet);
  EXPECT_TRUE(peer.receive());
  UdpPeer datagrams;
  datagrams.send(packet, address());
  EXPECT_TRUE(datagrams.receive());
  EXPECT_EQ(store_->applied(), 1U);
  EXPECT_EQ(counters().repeats, 1U);
}

TEST_F(TcpServerTest, ForgetsAClientThatDoesNotWaitForItsUpdate) {
  start(FakeStore::Commit::kWhenTold);
  {
    TcpPeer peer(address());
    peer.send_frame(packet_of(protocol::CommandCode::kWrite, 1));
    ASSERT_TRUE(eventually([&] { return store_->waiting() == 1; }));
  }
  store_->commit();
  EXPECT_TRUE(eventually([&] { return server_->connections() == 0; }));
  EXPECT_EQ(store_->applied(), 1U);
  TcpPeer next(address());
  EXPECT_TRUE(exchange(next, protocol::CommandCode::kPing, 2));
}

TEST_F(TcpServerTest, AnswersAClientThatHasClosedItsSendingSide) {
  start(FakeStore::Commit::kWhenTold);
  TcpPeer peer(address());
  peer.send_frame(packet_of(protocol::CommandCode::kWrite, 1));
  peer.send_frame(packet_of(protocol::CommandCode::kCheck, 2));
  peer.end_sending();
  EXPECT_EQ(receive(peer)->tag, 2U);
  ASSERT_TRUE(eventually([&] { return store_->waiting() == 1; }));
  store_->commit();
  EXPECT_EQ(receive(peer)->tag, 1U);
  EXPECT_TRUE(peer.is_closed());
}

TEST_F(TcpServerTest, AnswersTheGoodFramesBeforeABadOneAndCloses) {
  struct Case {
    const char* why;
    Bytes bad;
  };
  const Case cases[] = {{"empty", {0, 0}}, {"too long", {1, 0x20, 5}}, {"text", {'G', 'E', 'T'}}};
  start();
  for (const Case& c : cases) {
    TcpPeer peer(address());
    Bytes bytes;
    ASSERT_TRUE(protocol::append_frame(packet_of(protocol::CommandCode::kPing, 1), bytes));
    bytes.insert(bytes.end(), c.bad.begin(), c.bad.end());
    peer.send(bytes);
    EXPECT_TRUE(receive(peer)) << c.why;
    EXPECT_TRUE(peer.is_closed()) << c.why;
  }
  EXPECT_EQ(counters().tcp_bad_frames, std::size(cases));
}

TEST_F(TcpServerTest, GoesOnAfterAFrameThatIsNotACommand) {
  start();
  TcpPeer peer(address());
  peer.send_frame(Bytes(75, 4));
  EXPECT_EQ(exchange(peer, protocol::CommandCode::kPing, 2)->tag, 2U);
  EXPECT_EQ(counters().invalid, 1U);
}

TEST_F(TcpServerTest, ClosesAConnectionWithoutRequests) {
  options_.tcp_timeout = std::chrono::milliseconds(500);
  start();
  TcpPeer silent(address());
  TcpPeer half_frame(address());
  half_frame.send(Bytes{76, 0, 4});
  TcpPeer asked(address());
  EXPECT_TRUE(exchange(asked, protocol::CommandCode::kPing, 1));
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(half_frame.is_closed());
  EXPECT_TRUE(asked.is_closed());
  EXPECT_EQ(counters().tcp_timeouts, 3U);
}

TEST_F(TcpServerTest, KeepsAConnectionThatWaitsForAnUpdate) {
  options_.tcp_timeout = std::chrono::milliseconds(500);
  start(FakeStore::Commit::kWhenTold);
  TcpPeer peer(address());
  peer.send_frame(packet_of(protocol::CommandCode::kWrite, 1));
  TcpPeer silent(address());
  EXPECT_TRUE(silent.is_closed()) << "so the timeout has passed for the other connection, too";
  EXPECT_FALSE(peer.is_closed(std::chrono::milliseconds(0)));
  store_->commit();
  EXPECT_EQ(receive(peer)->tag, 1U);
  EXPECT_TRUE(peer.is_closed());
}

TEST_F(TcpServerTest, AppliesANewTimeoutAndNewRights) {
  start();
  TcpPeer peer(address());
  EXPECT_TRUE(exchange(peer, protocol::CommandCode::kPing, 1));
  options_.tcp_timeout = std::chrono::milliseconds(100);
  EXPECT_TRUE(server_->reload(options_));
  EXPECT_TRUE(peer.is_closed());
  options_.tcp_timeout = std::chrono::hours(1);
  EXPECT_TRUE(server_->reload(options_));
  TcpPeer second(address());
  EXPECT_TRUE(exchange(second, protocol::CommandCode::kPing, 1));
  options_.blocked = {*Network::parse("127.0.0.0/8")};
  EXPECT_TRUE(server_->reload(options_));
  second.send_frame(packet_of(protocol::CommandCode::kPing, 2));
  EXPECT_TRUE(second.is_closed());
  TcpPeer third(address());
  EXPECT_TRUE(third.is_closed()) << "closed before it sent anything";
}

TEST_F(TcpServerTest, AnswersCommittedUpdatesBeforeItStops) {
  start(FakeStore::Commit::kWhenTold);
  TcpPeer peer(address());
  TcpPeer idle(address());
  EXPECT_TRUE(exchange(idle, protocol::CommandCode::kPing, 1));
  peer.send_frame(packet_of(protocol::CommandCode::kWrite, 1));
  ASSERT_TRUE(eventually([&] { return store_->waiting() == 1; }));
  const SocketAddress was = address();
  std::jthread stopping([&] { server_.reset(); });
  EXPECT_TRUE(idle.is_closed());
  EXPECT_TRUE(eventually([&] { return !TcpPeer(was).connected(); }));
  store_->commit();
  EXPECT_EQ(receive(peer)->tag, 1U);
  EXPECT_TRUE(peer.is_closed());
}

TEST_F(TcpServerTest, SaysThatItsPortIsInUse) {
  const SocketAddress any(*IpAddress::parse("127.0.0.1"), 0);
  const auto other = StreamListener::bind(any, {.backlog = 1});
  ASSERT_TRUE(other);
  options_.listen = {*SocketSpec::parse("127.0.0.1:" + std::to_string(other->address().port()))};
  FakeStore store;
  const auto server = FuzzyServer::start(options_, store, clock_, random_, logger_);
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(server.error().message.find("tcp " + other->address().to_string()), std::string::npos)
      << server.error().message;
}

}  // namespace
}  // namespace shingled::storage::server
