// Covers storage/client/exchange.cpp: encrypted requests and answers.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "storage/crypto/keypair.h"
#include "tests/storage/client/exchange_fixture.h"

namespace shingled::storage::client {
namespace {

using Kind = RemoteRequest::Kind;

SocketAddress address(std::uint16_t port) { return {*IpAddress::parse("192.0.2.1"), port}; }

TEST_F(ExchangeTest, SendsTheCompanionOfAnAddPlainAndEncrypted) {
  const Keypair server = crypto::generate_keypair(random_);
  const Keypair own = crypto::generate_keypair(random_);
  const Sealing sealing{server.public_key, own.public_key,
                        *crypto::shared_key(own.secret_key, server.public_key)};
  Digest robust;
  robust.bytes.fill(9);
  struct Case {
    const char* why;
    Kind kind;
    bool sealed;
    std::uint8_t protocol;
    bool named;
    bool old = false;
  };
  constexpr Case kCases[] = {
      {"not encrypted", Kind::kAdd, false, 0, true},
      {"encrypted", Kind::kAdd, true, 0, true},
      {"for a server of the version before", Kind::kAdd, true, 0, true, true},
      {"nothing may follow version 3", Kind::kAdd, false, 3, false},
      {"only an add has a companion", Kind::kDelete, false, 0, false},
  };
  for (const Case& c : kCases) {
    sealing_ = c.sealed ? std::optional(sealing) : std::nullopt;
    protocol_ = c.protocol;
    use({{address(1)}});
    RemoteRequest tied = request(c.kind);
    tied.fingerprint.shingles.emplace();
    tied.companion = robust;
    tied.old_companion = c.old;
    begin({tied});
    const auto out = exchange_->next_packet(clock_.now());
    ASSERT_TRUE(out) << c.why;
    Bytes plain(out->packet.begin(), out->packet.end());
    if (c.sealed) {
      const auto sealed = crypto::parse_sealed_request(out->packet);
      ASSERT_TRUE(sealed) << c.why;
      plain.resize(protocol::kCommandBytes + protocol::kShingleBytes + protocol::kCompanionBytes);
      ASSERT_TRUE(crypto::open(sealing.key, sealed->sealed, plain)) << c.why;
    }
    const auto command = protocol::decode_command(plain);
    ASSERT_TRUE(command) << c.why;
    if (c.named) {
      EXPECT_EQ(command->extensions[0], c.old ? 0x81 : 0xf1) << c.why;
    }
    EXPECT_EQ(protocol::companion_in(command->extensions),
              c.named ? std::optional(robust) : std::nullopt)
        << c.why;
  }
}

TEST_F(ExchangeTest, AcceptsOnlyEncryptedAnswersToEncryptedQuestions) {
  const Keypair server = crypto::generate_keypair(random_);
  const Keypair own = crypto::generate_keypair(random_);
  sealing_ = Sealing{server.public_key, own.public_key,
                     *crypto::shared_key(own.secret_key, server.public_key)};
  use({{address(1)}});
  begin({request(Kind::kCheck)});
  const auto out = exchange_->next_packet(clock_.now());
  ASSERT_TRUE(out);
  const auto sealed = crypto::parse_sealed_request(out->packet);
  ASSERT_TRUE(sealed);
  Bytes plain(protocol::kCommandBytes);
  ASSERT_TRUE(crypto::open(service_->sealing->key, sealed->sealed, plain));
  const auto command = protocol::decode_command(plain);
  ASSERT_TRUE(command);
  const Bytes reply = hit_for(*command, protocol::ReplyForm::kV2);
  exchange_->receive(0, reply, clock_.now());
  EXPECT_FALSE(exchange_->done());
  Bytes packet(crypto::kSealBytes + reply.size());
  ASSERT_NE(crypto::seal(service_->sealing->key, crypto::Nonce{1}, reply, packet), 0U);
  packet.back() ^= 1;
  exchange_->receive(0, packet, clock_.now());
  EXPECT_FALSE(exchange_->done());
  packet.back() ^= 1;
  exchange_->receive(0, packet, clock_.now());
  EXPECT_TRUE(exchange_->done());
  EXPECT_EQ(service_->upstreams()->wire_version(0, clock_.now()), WireVersion::kFlags);
}

}  // namespace
}  // namespace shingled::storage::client
