// Requests that come sealed: what their key may, and how they are answered.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "storage/crypto/keypair.h"
#include "storage/protocol/extensions.h"
#include "storage/server/request_handler.h"
#include "tests/storage/server/request_fixture.h"
#include "tests/support/wire_vectors.h"

namespace shingled::storage {
namespace {

class SealedRequestTest : public RequestHandlerTest {
 protected:
  SealedRequestTest() {
    server_ = generate_keypair(random_);
    client_ = generate_keypair(random_);
    options_.keypair = {server_};
    use(options_);
  }
  Bytes sealed(const Command& command) {
    Bytes plain(kCommandBytesMax);
    plain.resize(encode_command(command, plain));
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

TEST_F(SealedRequestTest, MayDoWhatItsKeyMay) {
  store_.put(stored());
  options_.allow_update.clear();
  options_.forbidden_ids = {50};
  KeyRights& rights = options_.keypair[0].rights;
  rights.may_write = true;
  rights.forbidden_ids = {52};
  rights.ratelimit = RateOptions{0.001, 1};
  use(options_);
  const auto answer_to = [&](CommandCode code) {
    const Handled handled = handle_packet(sealed(command(code, kVersionFlags)), peer("192.0.2.1"));
    Bytes plain(144);
    const auto* answer = std::get_if<Answer>(&handled);
    if (answer == nullptr) return Reply{};
    EXPECT_TRUE(open(key(), BytesView(out_).first(answer->bytes), plain));
    return decode_reply(plain).value();
  };
  EXPECT_TRUE(std::holds_alternative<PendingUpdate>(
      handle_packet(sealed(command(CommandCode::kWrite)), peer("192.0.2.1"))));
  EXPECT_EQ(answer_to(CommandCode::kDelete).value, 503);
  const Reply hit = answer_to(CommandCode::kCheck);
  EXPECT_EQ(hit.flag, 50U) << "its own list of what is forbidden";
  EXPECT_EQ(hit.extra_count, 1);
  const Reply limited = answer_to(CommandCode::kCheck);
  EXPECT_EQ(limited.value, 403);
  EXPECT_EQ(limited.flag, 0U);
  EXPECT_EQ(answer_to(CommandCode::kPing).probability, 1.0F) << "only CHECKs are counted";
  rights.may_read = false;
  use(options_);
  EXPECT_EQ(answer_to(CommandCode::kCheck).value, 503);
  EXPECT_EQ(answer_to(CommandCode::kStat).probability, 1.0F);
  rights.may_read = true;
  rights.expire = WallTime(std::chrono::seconds(kNow));
  use(options_);
  EXPECT_EQ(answer_to(CommandCode::kCheck).value, 503);
  EXPECT_EQ(answer_to(CommandCode::kWrite).value, 503);
  EXPECT_EQ(answer_to(CommandCode::kPing).probability, 1.0F);
  rights.expire = WallTime(std::chrono::seconds(kNow + 1));
  use(options_);
  EXPECT_EQ(answer_to(CommandCode::kCheck).probability, 1.0F);
}

// What is named goes when the text is deleted: a way to delete for a key that may only add.
TEST_F(SealedRequestTest, ACompanionIsTakenFromWhoMayDelete) {
  options_.allow_update.clear();
  KeyRights& rights = options_.keypair[0].rights;
  rights.may_write = true;
  Digest robust;
  robust.bytes.fill(7);
  const auto extension = companion_extension(robust);
  Command write = command(CommandCode::kWrite);
  write.extensions = extension;
  for (const bool may_delete : {false, true}) {
    rights.may_delete = may_delete;
    use(options_);
    const Handled handled = handle_packet(sealed(write), peer("192.0.2.1"));
    const auto* pending = std::get_if<PendingUpdate>(&handled);
    ASSERT_NE(pending, nullptr);
    EXPECT_EQ(pending->update.companion, may_delete ? std::optional(robust) : std::nullopt);
  }
}

// What is sealed with a key that is known does not count; the first packet of a key does, and so
// does one that came before.
TEST_F(SealedRequestTest, PassesTheLimitOfItsSource) {
  options_.ratelimit.rate = 0.001;
  options_.ratelimit.burst = 3;
  use(options_);
  const Peer source = peer("192.0.2.1");
  const auto ping = [&] { return sealed(command(CommandCode::kPing)); };
  const auto is_served = [&](const Bytes& bytes) {
    return std::holds_alternative<Answer>(handle_packet(bytes, source));
  };
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(is_served(ping())) << i;
  for (int i = 0; i < 3; ++i) (void)handle(command(CommandCode::kPing), source);
  EXPECT_EQ(std::get<Drop>(handle(command(CommandCode::kPing), source)), Drop::kRateLimited);
  const Bytes packet = ping();
  EXPECT_TRUE(is_served(packet)) << "over the limit others of the network do not take its place";
  EXPECT_EQ(std::get<Drop>(handle_packet(packet, source)), Drop::kRateLimited)
      << "anybody may have recorded it";
  Bytes damaged = ping();
  damaged.back() ^= 1;
  EXPECT_EQ(std::get<Drop>(handle_packet(damaged, source)), Drop::kRateLimited)
      << "who names the key of another has no seal of it";
  const Keypair known = std::exchange(client_, generate_keypair(random_));
  EXPECT_FALSE(is_served(ping())) << "a new client has to wait";

  client_ = known;
  options_.ratelimit.encrypted = true;
  use(options_);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_served(ping()));
  EXPECT_FALSE(is_served(ping())) << "as it is told to";
}

TEST_F(SealedRequestTest, IsCountedOnceByKeyAndSource) {
  store_.put(stored());
  options_.allow_update.clear();
  options_.keypair[0].rights.may_write = true;
  options_.keypair[0].rights.ratelimit = RateOptions{0.001, 2};
  const auto access = std::make_shared<const Access>(Access::make(options_).value());
  handler_.use(access, 512);
  const auto send = [&](const Command& command) {
    return handle_packet(sealed(command), peer("192.0.2.1"));
  };
  Command unknown = command(CommandCode::kCheck);
  unknown.digest.bytes.fill(1);
  (void)send(command(CommandCode::kCheck));
  (void)send(unknown);
  (void)send(unknown);  // over the rate of the key
  (void)send(command(CommandCode::kPing));
  (void)send(command(CommandCode::kDelete));
  const Handled write = send(command(CommandCode::kWrite));
  const auto& ticket = std::get<PendingUpdate>(write).ticket;
  (void)handler_.finish(ticket, true, out_);
  (void)handler_.finish(ticket, false, out_);
  (void)handler_.repeat(ticket, out_);
  (void)handle_packet(Bytes(7), peer("192.0.2.1"));

  const OutcomeCounts key = access->key_readings()[1].counts;
  EXPECT_EQ(key.of(Outcome::kMatched), 1U);
  EXPECT_EQ(key.of(Outcome::kUnmatched), 1U);
  EXPECT_EQ(key.of(Outcome::kRateLimited), 1U);
  EXPECT_EQ(key.of(Outcome::kAdded), 1U);
  EXPECT_EQ(key.of(Outcome::kRefused), 2U) << "a deletion it may not, an update not stored";
  EXPECT_EQ(key.of(Outcome::kOther), 2U) << "a ping, a repeat";
  const OutcomeCounts clear = access->key_readings()[0].counts;
  EXPECT_EQ(clear.of(Outcome::kDropped), 1U);
  EXPECT_EQ(clear.sum(), 1U);
  OutcomeCounts both = key;
  both += clear;
  const auto sources = handler_.sources().read();
  ASSERT_EQ(sources.entries.size(), 1U);
  EXPECT_EQ(sources.entries[0].network, *Network::parse("192.0.2.0/24"));
  EXPECT_EQ(sources.entries[0].counts, both);
}

TEST_F(SealedRequestTest, IsAnsweredSealedAndLongForAnybody) {
  store_.put(stored());
  for (const std::uint32_t cache : {512U, 0U}) {
    options_.keypair_cache_size = cache;
    options_.encrypted_only = true;
    use(options_);
    for (int again = 0; again < 2; ++again) {
      const Handled handled =
          handle_packet(sealed(command(CommandCode::kCheck, kVersionFlags)), peer("192.0.2.1"));
      ASSERT_EQ(std::get<Answer>(handled).bytes, 184U);
      Bytes plain(144);
      ASSERT_TRUE(open(key(), BytesView(out_).first(184), plain));
      EXPECT_EQ(decode_reply(plain)->value, 10);
    }
  }
}

TEST_F(SealedRequestTest, IsRefusedWithAnyBitFlipped) {
  const Bytes packet = sealed(command(CommandCode::kCheck));
  for (std::size_t byte = 0; byte < packet.size(); ++byte) {
    Bytes damaged = packet;
    damaged[byte] ^= 0x10;
    const bool names_the_key = byte >= 4 && byte < 12;
    const Handled handled = handle_packet(damaged, peer("127.0.0.1"));
    // An unknown name means the default key, which opens it: as the protocol has it.
    EXPECT_EQ(std::holds_alternative<Drop>(handled), !names_the_key) << byte;
  }
  const auto counted = counters_.read();
  EXPECT_EQ(counted.invalid + counted.undecryptable, packet.size() - 8);
}

TEST_F(SealedRequestTest, IsNoCommandIfWhatWasSealedIsNone) {
  Command command = this->command(CommandCode::kCheck);
  command.version = 6;
  const Handled handled = handle_packet(sealed(command), peer("127.0.0.1"));
  EXPECT_EQ(std::get<Drop>(handled), Drop::kInvalid);
}

TEST_F(SealedRequestTest, IsDroppedByAServerWithoutKeys) {
  options_.keypair.clear();
  use(options_);
  const Handled handled = handle_packet(sealed(command(CommandCode::kCheck)), peer("127.0.0.1"));
  EXPECT_EQ(std::get<Drop>(handled), Drop::kUndecryptable);
}

TEST_F(SealedRequestTest, NamesAnUpdateByItsClientKeyWhereverItComesFrom) {
  const Bytes packet = sealed(command(CommandCode::kWrite));
  options_.allow_update.push_back(*Network::parse("192.0.2.1"));
  use(options_);
  const Handled first = handle_packet(packet, peer("127.0.0.1"));
  const Handled replayed = handle_packet(packet, peer("192.0.2.1"));
  EXPECT_EQ(std::get<PendingUpdate>(first).update.name,
            std::get<PendingUpdate>(replayed).update.name);
}

}  // namespace
}  // namespace shingled::storage
