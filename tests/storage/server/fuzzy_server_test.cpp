// Covers storage/server/server_counters.cpp, storage/server/fuzzy_server.cpp,
// storage/server/udp_socket.cpp, storage/server/udp_worker.cpp.
#include "storage/server/fuzzy_server.h"

#include <gtest/gtest.h>

#include <thread>

#include "storage/protocol/codec.h"
#include "tests/support/fake_store.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::server {
namespace {

using testing::eventually;
using testing::FakeStore;
using testing::UdpPeer;

Bytes packet_of(const protocol::Command& command) {
  Bytes packet(protocol::kCommandBytesMax);
  packet.resize(protocol::encode_command(command, packet));
  return packet;
}

protocol::Command command(protocol::CommandCode code, std::uint32_t tag) {
  protocol::Command command;
  command.code = code;
  command.tag = tag;
  command.flag = 5;
  command.value = 1;
  command.digest.bytes.fill(static_cast<std::uint8_t>(tag));
  return command;
}

class FuzzyServerTest : public ::testing::Test {
 protected:
  void start(FakeStore::Commit commit = FakeStore::Commit::kAtOnce,
             const char* host = "127.0.0.1") {
    store_ = std::make_unique<FakeStore>(commit);
    options_.listen = {*SocketSpec::parse(std::string("inet:0@") + host)};
    options_.threads = 3;
    auto started = FuzzyServer::start(options_, *store_, clock_, random_, logger_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  [[nodiscard]] SocketAddress address() const { return server_->addresses().front(); }
  std::optional<protocol::Reply> exchange(UdpPeer& peer, const protocol::Command& command) {
    peer.send(packet_of(command), address());
    const auto packet = peer.receive();
    return packet ? protocol::decode_reply(*packet) : std::nullopt;
  }

  ServerOptions options_;
  SystemClock clock_;
  SystemRandom random_;
  NullLogger logger_;
  std::unique_ptr<FakeStore> store_;
  std::unique_ptr<FuzzyServer> server_;
};

TEST_F(FuzzyServerTest, AnswersManyClientsAtOnce) {
  start();
  constexpr std::uint32_t kClients = 8;
  constexpr std::uint32_t kRequests = 200;
  std::atomic<std::uint32_t> answered{0};
  {
    std::vector<std::jthread> clients;
    for (std::uint32_t c = 0; c < kClients; ++c) {
      clients.emplace_back([&] {
        UdpPeer peer;
        for (std::uint32_t i = 0; i < kRequests; ++i) {
          const auto code =
              i % 4 == 0 ? protocol::CommandCode::kWrite : protocol::CommandCode::kCheck;
          const auto reply = exchange(peer, command(code, i));
          if (reply && reply->tag == i) ++answered;
        }
      });
    }
  }
  EXPECT_EQ(answered, kClients * kRequests);
  // A reply is counted before it is sent, so all replies are counted.
  EXPECT_EQ(server_->counters().adds, kClients * kRequests / 4);
  EXPECT_EQ(server_->counters().checks, kClients * kRequests * 3 / 4);
}

TEST_F(FuzzyServerTest, AnswersAnUpdateAfterItsCommitAndCountsItsRepeatsOnce) {
  start(FakeStore::Commit::kWhenTold);
  UdpPeer peer;
  const Bytes write = packet_of(command(protocol::CommandCode::kWrite, 1));
  for (int i = 0; i < 3; ++i) peer.send(write, address());
  ASSERT_TRUE(eventually([&] { return server_->counters().repeats == 2; }));
  EXPECT_EQ(store_->waiting(), 1U);
  EXPECT_FALSE(peer.receive(std::chrono::milliseconds(0))) << "answered before the commit";
  store_->commit();
  for (int i = 0; i < 3; ++i) {
    const auto reply = peer.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(protocol::decode_reply(*reply)->probability, 1.0F);
  }
  peer.send(write, address());
  ASSERT_TRUE(peer.receive()) << "a late repeat is answered at once";
  EXPECT_EQ(store_->applied(), 1U);
  EXPECT_EQ(server_->counters().adds, 3U);
}

// The answer was lost in a crash; the client repeats its request to the restarted daemon.
TEST_F(FuzzyServerTest, CountsARepeatOnceAcrossARestart) {
  start();
  UdpPeer peer;
  EXPECT_EQ(exchange(peer, command(protocol::CommandCode::kWrite, 1))->probability, 1.0F);
  const UpdateId name = store_->updates().front().name;
  EXPECT_NE(name, UpdateId{});
  server_.reset();
  store_ = std::make_unique<FakeStore>();
  store_->pretend_recent({name});
  server_ = FuzzyServer::start(options_, *store_, clock_, random_, logger_).value();
  EXPECT_EQ(exchange(peer, command(protocol::CommandCode::kWrite, 1))->probability, 1.0F);
  EXPECT_EQ(store_->applied(), 0U);
  EXPECT_EQ(exchange(peer, command(protocol::CommandCode::kWrite, 2))->probability, 1.0F);
  EXPECT_EQ(store_->applied(), 1U) << "another tag is another update";
}

TEST_F(FuzzyServerTest, LetsARefusedUpdateTryAgain) {
  start(FakeStore::Commit::kWhenTold);
  UdpPeer peer;
  for (const bool well : {false, true}) {
    peer.send(packet_of(command(protocol::CommandCode::kWrite, 1)), address());
    ASSERT_TRUE(eventually([&] { return store_->waiting() == 1; }));
    store_->commit(well ? Status{} : Error{ErrorCode::kUnavailable, "the disk is full"});
    const auto reply = peer.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(protocol::decode_reply(*reply)->value, well ? 0 : protocol::kStatusNotPermitted);
  }
  EXPECT_EQ(store_->applied(), 1U);
}

TEST_F(FuzzyServerTest, AnswersCommittedUpdatesBeforeItStops) {
  start(FakeStore::Commit::kWhenTold);
  UdpPeer peer;
  peer.send(packet_of(command(protocol::CommandCode::kWrite, 1)), address());
  ASSERT_TRUE(eventually([&] { return store_->waiting() == 1; }));
  {
    std::jthread stopping([&] { server_.reset(); });
    store_->commit();
  }
  EXPECT_TRUE(peer.receive(std::chrono::milliseconds(0)));
}

TEST_F(FuzzyServerTest, AnUnreachableStoreIsNotReportedAsAMiss) {
  start();
  store_->go_away();
  UdpPeer peer;
  const auto reply = exchange(peer, command(protocol::CommandCode::kCheck, 9));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->value, protocol::kStatusStoreAway);
  EXPECT_EQ(reply->flag, 0U);
  EXPECT_EQ(reply->probability, 0.0F);
  EXPECT_EQ(server_->counters().refused, 1U);
}

TEST_F(FuzzyServerTest, KeepsServingThroughRubbish) {
  start();
  UdpPeer peer;
  for (const std::size_t size : {0U, 1U, 75U, 77U, 1025U, 2000U})
    peer.send(Bytes(size, 0x72), address());
  protocol::Command longest = command(protocol::CommandCode::kPing, 2);
  Bytes extensions;
  while (extensions.size() + 2 <= protocol::kCommandBytesMax - protocol::kCommandBytes)
    extensions.insert(extensions.end(), {0x81, 0});
  longest.extensions = extensions;
  const auto reply = exchange(peer, longest);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->tag, 2U);
  ASSERT_TRUE(eventually([&] { return server_->counters().invalid == 6; }));
}

TEST_F(FuzzyServerTest, AppliesNewRightsWhileItRuns) {
  start();
  UdpPeer peer;
  EXPECT_EQ(exchange(peer, command(protocol::CommandCode::kWrite, 1))->probability, 1.0F);
  options_.read_only = true;
  EXPECT_TRUE(server_->reload(options_));
  EXPECT_EQ(exchange(peer, command(protocol::CommandCode::kWrite, 2))->value,
            protocol::kStatusNotPermitted);
}

TEST_F(FuzzyServerTest, AnswersFromTheAddressTheRequestWasSentTo) {
  start(FakeStore::Commit::kAtOnce, "0.0.0.0");
  for (const char* ip : {"127.0.0.1", "127.0.0.2"}) {
    for (const protocol::CommandCode code :
         {protocol::CommandCode::kCheck, protocol::CommandCode::kWrite}) {
      UdpPeer peer;
      const SocketAddress asked(*IpAddress::parse(ip), address().port());
      peer.send(packet_of(command(code, 1)), asked);
      ASSERT_TRUE(peer.receive());
      EXPECT_EQ(peer.from(), asked);
    }
  }
}

TEST_F(FuzzyServerTest, SpeaksIpv6) {
  UdpPeer peer("::1");
  if (peer.address().port() == 0) GTEST_SKIP() << "this machine has no IPv6 loopback";
  for (const char* host : {"::1", "::"}) {
    start(FakeStore::Commit::kAtOnce, host);
    const SocketAddress asked(*IpAddress::parse("::1"), address().port());
    peer.send(packet_of(command(protocol::CommandCode::kPing, 1)), asked);
    ASSERT_TRUE(peer.receive());
    EXPECT_EQ(peer.from(), asked);
  }
}

TEST_F(FuzzyServerTest, SaysWhichPortIsInUse) {
  start();
  ServerOptions same = options_;
  same.listen = {*SocketSpec::parse("127.0.0.1:" + std::to_string(address().port()))};
  const auto second = FuzzyServer::start(same, *store_, clock_, random_, logger_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(second.error().message.find(address().to_string()), std::string::npos);
}

}  // namespace
}  // namespace shingled::storage::server
