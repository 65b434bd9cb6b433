// Covers storage/crypto/keypair.cpp.
// Sealed requests: the rights of their keys, and the replies.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "storage/crypto/keypair.h"
#include "storage/protocol/codec.h"
#include "storage/server/request_handler.h"
#include "tests/storage/server/request_fixture.h"
#include "tests/support/wire_vectors.h"

namespace shingled::storage::crypto {
namespace {

class SealedRequestTest : public server::RequestHandlerTest {
 protected:
  SealedRequestTest() {
    server_ = generate_keypair(random_);
    client_ = generate_keypair(random_);
    options_.keypair = {server_};
    use(options_);
  }
  Bytes sealed(const protocol::Command& command) {
    Bytes plain(protocol::kCommandBytesMax);
    plain.resize(protocol::encode_command(command, plain));
    Bytes packet(kRequestSealBytes + plain.size());
    EXPECT_EQ(
        seal_request(server_.public_key, client_.public_key, key(), nonces_.next(), plain, packet),
        packet.size());
    return packet;
  }
  SharedKey key() const { return *shared_key(client_.secret_key, server_.public_key); }

  NonceSource nonces_{random_};
  Keypair server_;
  Keypair client_;
};

TEST_F(SealedRequestTest, HasTheRightsOfItsKey) {
  store_.put(stored());
  options_.allow_update.clear();
  options_.forbidden_ids = {50};
  KeyRights& rights = options_.keypair[0].rights;
  rights.may_write = true;
  rights.forbidden_ids = {52};
  rights.ratelimit = RateOptions{0.001, 1};
  use(options_);
  const auto answer_to = [&](protocol::CommandCode code) {
    const server::Handled handled =
        handle_packet(sealed(command(code, protocol::kVersionFlags)), server::peer("192.0.2.1"));
    Bytes plain(144);
    const auto* answer = std::get_if<server::Answer>(&handled);
    if (answer == nullptr) return protocol::Reply{};
    EXPECT_TRUE(open(key(), BytesView(out_).first(answer->bytes), plain));
    return protocol::decode_reply(plain).value();
  };
  EXPECT_TRUE(std::holds_alternative<server::PendingUpdate>(
      handle_packet(sealed(command(protocol::CommandCode::kWrite)), server::peer("192.0.2.1"))));
  EXPECT_EQ(answer_to(protocol::CommandCode::kDelete).value, 503);
  const protocol::Reply hit = answer_to(protocol::CommandCode::kCheck);
  EXPECT_EQ(hit.flag, 50U) << "the key has its own forbidden lists";
  EXPECT_EQ(hit.extra_count, 1);
  const protocol::Reply limited = answer_to(protocol::CommandCode::kCheck);
  EXPECT_EQ(limited.value, 403);
  EXPECT_EQ(limited.flag, 0U);
  EXPECT_EQ(answer_to(protocol::CommandCode::kPing).probability, 1.0F) << "only CHECKs are counted";
  rights.may_read = false;
  use(options_);
  EXPECT_EQ(answer_to(protocol::CommandCode::kCheck).value, 503);
  EXPECT_EQ(answer_to(protocol::CommandCode::kStat).probability, 1.0F);
  rights.may_read = true;
  rights.expire = WallTime(std::chrono::seconds(server::kNow));
  use(options_);
  EXPECT_EQ(answer_to(protocol::CommandCode::kCheck).value, 503);
  EXPECT_EQ(answer_to(protocol::CommandCode::kWrite).value, 503);
  EXPECT_EQ(answer_to(protocol::CommandCode::kPing).probability, 1.0F);
  rights.expire = WallTime(std::chrono::seconds(server::kNow + 1));
  use(options_);
  EXPECT_EQ(answer_to(protocol::CommandCode::kCheck).probability, 1.0F);
}

// A companion is deleted together with its text. Otherwise a key that may only add could delete.
TEST_F(SealedRequestTest, ACompanionNeedsTheRightToDelete) {
  options_.allow_update.clear();
  KeyRights& rights = options_.keypair[0].rights;
  rights.may_write = true;
  Digest robust;
  robust.bytes.fill(7);
  const auto extension = protocol::companion_extension(robust);
  protocol::Command write = command(protocol::CommandCode::kWrite);
  write.extensions = extension;
  for (const bool may_delete : {false, true}) {
    rights.may_delete = may_delete;
    use(options_);
    const server::Handled handled = handle_packet(sealed(write), server::peer("192.0.2.1"));
    const auto* pending = std::get_if<server::PendingUpdate>(&handled);
    ASSERT_NE(pending, nullptr);
    EXPECT_EQ(pending->update.companion, may_delete ? std::optional(robust) : std::nullopt);
  }
}

// Requests that are sealed with a known key do not count. The first packet of a key and repeated
// packets do.
TEST_F(SealedRequestTest, DoesNotCountForTheLimitOfItsSource) {
  options_.ratelimit.rate = 0.001;
  options_.ratelimit.burst = 3;
  use(options_);
  const server::Peer source = server::peer("192.0.2.1");
  const auto ping = [&] { return sealed(command(protocol::CommandCode::kPing)); };
  const auto is_served = [&](const Bytes& bytes) {
    return std::holds_alternative<server::Answer>(handle_packet(bytes, source));
  };
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(is_served(ping())) << i;
  for (int i = 0; i < 3; ++i) (void)handle(command(protocol::CommandCode::kPing), source);
  EXPECT_EQ(std::get<server::Drop>(handle(command(protocol::CommandCode::kPing), source)),
            server::Drop::kRateLimited);
  const Bytes packet = ping();
  EXPECT_TRUE(is_served(packet))
      << "other clients of the network that are over the limit do not matter";
  EXPECT_EQ(std::get<server::Drop>(handle_packet(packet, source)), server::Drop::kRateLimited)
      << "a repeat, which may be recorded by a stranger";
  Bytes damaged = ping();
  damaged.back() ^= 1;
  EXPECT_EQ(std::get<server::Drop>(handle_packet(damaged, source)), server::Drop::kRateLimited)
      << "a stranger that names the key of a client cannot seal with it";
  const Keypair known = std::exchange(client_, generate_keypair(random_));
  EXPECT_FALSE(is_served(ping())) << "a new client is limited";

  client_ = known;
  options_.ratelimit.encrypted = true;
  use(options_);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_served(ping()));
  EXPECT_FALSE(is_served(ping())) << "`encrypted` makes sealed requests count";
}

TEST_F(SealedRequestTest, IsCountedOnceByKeyAndSource) {
  store_.put(stored());
  options_.allow_update.clear();
  options_.keypair[0].rights.may_write = true;
  options_.keypair[0].rights.ratelimit = RateOptions{0.001, 2};
  const auto access =
      std::make_shared<const access::Access>(access::Access::make(options_).value());
  handler_.use(access, 512);
  const auto send = [&](const protocol::Command& command) {
    return handle_packet(sealed(command), server::peer("192.0.2.1"));
  };
  protocol::Command unknown = command(protocol::CommandCode::kCheck);
  unknown.digest.bytes.fill(1);
  (void)send(command(protocol::CommandCode::kCheck));
  (void)send(unknown);
  (void)send(unknown);  // over the rate of the key
  (void)send(command(protocol::CommandCode::kPing));
  (void)send(command(protocol::CommandCode::kDelete));
  const server::Handled write = send(command(protocol::CommandCode::kWrite));
  const auto& ticket = std::get<server::PendingUpdate>(write).ticket;
  (void)handler_.finish(ticket, true, out_);
  (void)handler_.finish(ticket, false, out_);
  (void)handler_.repeat(ticket, out_);
  (void)handle_packet(Bytes(7), server::peer("192.0.2.1"));

  const access::RequestOutcomeCounts key = access->key_readings()[1].counts;
  EXPECT_EQ(key.of(access::RequestOutcome::kMatched), 1U);
  EXPECT_EQ(key.of(access::RequestOutcome::kUnmatched), 1U);
  EXPECT_EQ(key.of(access::RequestOutcome::kRateLimited), 1U);
  EXPECT_EQ(key.of(access::RequestOutcome::kAdded), 1U);
  EXPECT_EQ(key.of(access::RequestOutcome::kRefused), 2U)
      << "a DEL that is not allowed, and an update that was not stored";
  EXPECT_EQ(key.of(access::RequestOutcome::kOther), 2U) << "a PING and a repeat";
  const access::RequestOutcomeCounts clear = access->key_readings()[0].counts;
  EXPECT_EQ(clear.of(access::RequestOutcome::kDropped), 1U);
  EXPECT_EQ(clear.sum(), 1U);
  access::RequestOutcomeCounts both = key;
  both += clear;
  const auto sources = handler_.sources().read();
  ASSERT_EQ(sources.entries.size(), 1U);
  EXPECT_EQ(sources.entries[0].network, *Network::parse("192.0.2.0/24"));
  EXPECT_EQ(sources.entries[0].counts, both);
}

TEST_F(SealedRequestTest, GetsASealedLongReplyAtAnyAddress) {
  store_.put(stored());
  for (const std::uint32_t cache : {512U, 0U}) {
    options_.keypair_cache_size = cache;
    options_.encrypted_only = true;
    use(options_);
    for (int again = 0; again < 2; ++again) {
      const server::Handled handled =
          handle_packet(sealed(command(protocol::CommandCode::kCheck, protocol::kVersionFlags)),
                        server::peer("192.0.2.1"));
      ASSERT_EQ(std::get<server::Answer>(handled).bytes, 184U);
      Bytes plain(144);
      ASSERT_TRUE(open(key(), BytesView(out_).first(184), plain));
      EXPECT_EQ(protocol::decode_reply(plain)->value, 10);
    }
  }
}

TEST_F(SealedRequestTest, IsDroppedIfABitIsFlipped) {
  const Bytes packet = sealed(command(protocol::CommandCode::kCheck));
  for (std::size_t byte = 0; byte < packet.size(); ++byte) {
    Bytes damaged = packet;
    damaged[byte] ^= 0x10;
    const bool names_the_key = byte >= 4 && byte < 12;
    const server::Handled handled = handle_packet(damaged, server::peer("127.0.0.1"));
    // The protocol says: for an unknown key name, the default key is used, and it can open this.
    EXPECT_EQ(std::holds_alternative<server::Drop>(handled), !names_the_key) << byte;
  }
  const auto counted = counters_.read();
  EXPECT_EQ(counted.invalid + counted.undecryptable, packet.size() - 8);
}

TEST_F(SealedRequestTest, IsDroppedIfItsContentIsNotACommand) {
  protocol::Command command = this->command(protocol::CommandCode::kCheck);
  command.version = 6;
  const server::Handled handled = handle_packet(sealed(command), server::peer("127.0.0.1"));
  EXPECT_EQ(std::get<server::Drop>(handled), server::Drop::kInvalid);
}

TEST_F(SealedRequestTest, IsDroppedByAServerWithoutKeys) {
  options_.keypair.clear();
  use(options_);
  const server::Handled handled =
      handle_packet(sealed(command(protocol::CommandCode::kCheck)), server::peer("127.0.0.1"));
  EXPECT_EQ(std::get<server::Drop>(handled), server::Drop::kUndecryptable);
}

TEST_F(SealedRequestTest, NamesAnUpdateByItsClientKeyNotItsAddress) {
  const Bytes packet = sealed(command(protocol::CommandCode::kWrite));
  options_.allow_update.push_back(*Network::parse("192.0.2.1"));
  use(options_);
  const server::Handled first = handle_packet(packet, server::peer("127.0.0.1"));
  const server::Handled replayed = handle_packet(packet, server::peer("192.0.2.1"));
  EXPECT_EQ(std::get<server::PendingUpdate>(first).update.name,
            std::get<server::PendingUpdate>(replayed).update.name);
}

}  // namespace
}  // namespace shingled::storage::crypto
