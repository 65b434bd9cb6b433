// What strangers can make the server do with sealed packets: agree on keys, forget other keys, send
// replies. The clock is the test's, so a flood of seconds takes only the time to handle its
// packets. SHINGLED_FLOOD_SECONDS makes the flood longer than in a usual run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "storage/crypto/keypair.h"
#include "storage/server/request_handler.h"
#include "tests/storage/server/request_fixture.h"

namespace shingled::storage::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

int flood_seconds() {
  const char* wanted = std::getenv("SHINGLED_FLOOD_SECONDS");  // NOLINT(concurrency-mt-unsafe)
  return wanted == nullptr ? 2 : std::max(std::stoi(wanted), 1);
}

struct Client {
  Keypair pair;
  crypto::SharedKey shared;
};

class SealedFloodTest : public RequestHandlerTest {
 protected:
  SealedFloodTest() {
    server_ = crypto::generate_keypair(random_);
    options_.keypair = {server_};
    options_.agreements.thread = {.rate = 200, .burst = 300};
    options_.agreements.source = {.rate = 20, .burst = 50};
    use(options_);
  }
  Client client() {
    Client client{crypto::generate_keypair(random_), {}};
    client.shared = *crypto::shared_key(client.pair.secret_key, server_.public_key);
    return client;
  }
  Bytes sealed(const Client& client, protocol::CommandCode code = protocol::CommandCode::kCheck) {
    Bytes plain(protocol::kCommandBytesMax);
    plain.resize(protocol::encode_command(command(code), plain));
    Bytes packet(crypto::kRequestSealBytes + plain.size());
    (void)crypto::seal_request(server_.public_key, client.pair.public_key, client.shared,
                               nonces_.next(), plain, packet);
    return packet;
  }
  /// A packet that looks as if it were sealed for us; different each time.
  Bytes nonsense() {
    Bytes packet(crypto::kSealedRequestBytesMin);
    random_.fill(packet);
    (void)crypto::seal_request(server_.public_key, {}, {}, {}, {}, packet);
    random_.fill(std::span(packet).subspan(12, 32));
    return packet;
  }
  /// Whether the packet is answered, or would be after the look-up.
  bool is_served(BytesView packet, const Peer& from) {
    const access::Moment moment{now_, WallTime(seconds(kNow))};
    return !std::holds_alternative<Drop>(handler_.handle(packet, from, moment, out_));
  }
  /// Each from another network than the 65 535 before, so that no limit of a source refuses it.
  static Peer forged(std::uint32_t number) {
    Peer peer{*IpAddress::parse("198.0.0.0"), 53};
    peer.ip.bytes[1] = static_cast<std::uint8_t>(number >> 8);
    peer.ip.bytes[2] = static_cast<std::uint8_t>(number);
    peer.ip.bytes[3] = static_cast<std::uint8_t>(number >> 16);
    return peer;
  }
  static Peer stream(const char* ip) { return {*IpAddress::parse(ip), 9, Transport::kStream}; }
  [[nodiscard]] std::uint64_t agreements() const { return counters_.read().agreements; }

  crypto::NonceSource nonces_{random_};
  Keypair server_;
  TimePoint now_{std::chrono::hours(1)};
};

TEST_F(SealedFloodTest, OfNewKeysFromOneSourceIsLimitedAndLeavesRoomForOthers) {
  const Client known = client();
  ASSERT_TRUE(is_served(sealed(known), peer("203.0.113.1")));
  const int rounds = 100 * flood_seconds();
  std::uint64_t served = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 5; ++i) served += is_served(sealed(client()), peer("192.0.2.1")) ? 1U : 0U;
    EXPECT_TRUE(is_served(sealed(known), peer("203.0.113.1"))) << round;
    if (round % 10 == 0) {
      EXPECT_TRUE(is_served(sealed(client()), peer("203.0.113.2"))) << "another new client";
    }
    now_ += milliseconds(10);
  }
  EXPECT_LE(served, 50U + 20U * static_cast<unsigned>(flood_seconds()));
  EXPECT_GE(served, 50U);
  EXPECT_EQ(counters_.read().unknown_keys, static_cast<unsigned>(rounds) * 5U - served);
}

TEST_F(SealedFloodTest, OfNonsenseFromForgedSourcesCostsAtMostTheLimitOfAThread) {
  const Client known = client();
  const Client trusted = client();
  options_.trusted = {*Network::parse("203.0.113.0/24")};
  use(options_);
  ASSERT_TRUE(is_served(sealed(known), peer("192.0.2.1")));
  const int rounds = 100 * flood_seconds();
  std::uint32_t number = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 50; ++i) EXPECT_FALSE(is_served(nonsense(), forged(number++)));
    EXPECT_TRUE(is_served(sealed(known), peer("192.0.2.1"))) << round;
    now_ += milliseconds(10);
  }
  EXPECT_LE(agreements(), 1U + 300U + 200U * static_cast<unsigned>(flood_seconds()));
  std::uint32_t served = 0;
  for (std::uint32_t i = 1; i <= 8; ++i) served += is_served(sealed(client()), forged(i)) ? 1U : 0U;
  EXPECT_LE(served, 3U) << "only the share of 10 ms, and a fraction, is left for strangers";
  EXPECT_TRUE(is_served(sealed(trusted), peer("203.0.113.1")))
      << "trusted sources have a share of their own";
}

TEST_F(SealedFloodTest, FromAForgedSourceDoesNotAffectItsConnections) {
  for (int i = 0; i < 60; ++i) (void)is_served(sealed(client()), peer("192.0.2.1"));
  EXPECT_FALSE(is_served(sealed(client()), peer("192.0.2.1")));
  EXPECT_TRUE(is_served(sealed(client()), stream("192.0.2.1")));
  for (int i = 0; i < 60; ++i) (void)is_served(sealed(client()), stream("192.0.2.1"));
  EXPECT_FALSE(is_served(sealed(client()), stream("192.0.2.1")))
      << "connections have a limit as well";
}

TEST_F(SealedFloodTest, OfOneRecordedPacketIsAnsweredLikeOneInTheClear) {
  options_.ratelimit.rate = 10;
  options_.ratelimit.burst = 20;
  const Client victim = client();
  const struct {
    const char* why;
    protocol::CommandCode code;
    const char* ip;
    bool bounded;
  } cases[] = {
      {"a PING", protocol::CommandCode::kPing, "192.0.2.1", true},
      {"a CHECK", protocol::CommandCode::kCheck, "192.0.2.1", true},
      {"a permitted update", protocol::CommandCode::kWrite, "192.0.2.1", true},
      {"a source that is never limited", protocol::CommandCode::kPing, "127.0.0.1", false},
  };
  options_.allow_update = {*Network::parse("192.0.2.0/24")};
  for (const auto& c : cases) {
    handler_.use(std::make_shared<const access::Access>(access::Access::make(options_).value()),
                 512);
    const Bytes packet = sealed(victim, c.code);
    int served = 0;
    for (int i = 0; i < 1000; ++i) {
      served += is_served(packet, peer(c.ip)) ? 1 : 0;
      now_ += milliseconds(1);
    }
    if (c.bounded) {
      EXPECT_LE(served, 20 + 10 + 1) << c.why;
    } else {
      EXPECT_EQ(served, 1000) << c.why;
    }
    EXPECT_TRUE(is_served(sealed(victim, c.code), peer(c.ip))) << c.why << ": the client itself";
  }
}

TEST_F(SealedFloodTest, OfNewPacketsFromOneClientHasAHighLimit) {
  options_.ratelimit.sealed = {.rate = 1000, .burst = 100};
  use(options_);
  const Client busy = client();
  (void)is_served(sealed(busy), peer("192.0.2.1"));
  int served = 0;
  for (int i = 0; i < 300; ++i) served += is_served(sealed(busy), peer("192.0.2.1")) ? 1 : 0;
  EXPECT_EQ(served, 100);
  served = 0;
  for (int i = 0; i < 300; ++i) served += is_served(sealed(busy), peer("127.0.0.1")) ? 1 : 0;
  EXPECT_EQ(served, 300) << "never limited";
  for (int i = 0; i < 300; ++i) served += is_served(sealed(busy), stream("192.0.2.1")) ? 1 : 0;
  EXPECT_EQ(served, 600) << "the source of a connection is not forged";
}

TEST_F(SealedFloodTest, OfNewKeysDoesNotPushOutAKeyInUse) {
  options_.agreements.thread = options_.agreements.source = {.rate = 1e6, .burst = 1e9};
  options_.keypair_cache_size = 64;
  options_.ratelimit.rate = 0;
  use(options_);
  const Client known = client();
  const Peer home = peer("192.0.2.1");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(is_served(sealed(known), home));
  for (std::uint32_t i = 0; i < 500; ++i) {
    const Client stranger = client();
    for (int twice = 0; twice < 2; ++twice) (void)is_served(sealed(stranger), forged(256 * i));
  }
  const std::uint64_t before = agreements();
  EXPECT_TRUE(is_served(sealed(known), home));
  EXPECT_EQ(agreements(), before);
}

TEST_F(SealedFloodTest, ForAnUnknownServerKeyCostsNoAgreement) {
  options_.keypair.clear();
  use(options_);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(is_served(nonsense(), peer("192.0.2.1")));
  EXPECT_EQ(agreements(), 0U);
  EXPECT_EQ(counters_.read().undecryptable, 10U);
}

}  // namespace
}  // namespace shingled::storage::server
