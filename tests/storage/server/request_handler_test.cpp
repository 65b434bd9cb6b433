#include "storage/server/request_handler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "storage/crypto/keypair.h"
#include "tests/support/fake_store.h"
#include "tests/support/handle_one.h"
#include "tests/support/seeded_random.h"
#include "tests/support/wire_vectors.h"

namespace shingled::storage {
namespace {

using testing::array_of;
using testing::bytes_of;
using testing::FakeStore;
using testing::handle_one;
using testing::keypair_of;
using testing::SeededRandom;
using testing::wire_vectors;

constexpr std::uint32_t kNow = 1'700'000'000;

Peer peer(const char* ip) { return {*IpAddress::parse(ip), 40'000}; }

class RequestHandlerTest : public ::testing::Test {
 protected:
  RequestHandlerTest() { use(options_); }
  void use(const ServerOptions& options) {
    handler_.use(std::make_shared<const Access>(Access::make(options).value()),
                 options.keypair_cache_size);
  }
  Handled handle(const Command& command, const Peer& from = peer("127.0.0.1")) {
    Bytes packet(kCommandBytesMax);
    packet.resize(encode_command(command, packet));
    return handle_packet(packet, from);
  }
  Handled handle_packet(BytesView packet, const Peer& from) {
    return handle_one(handler_, store_, packet, from, kNow, out_);
  }
  Reply reply(const Handled& handled) {
    const auto* answer = std::get_if<Answer>(&handled);
    EXPECT_NE(answer, nullptr);
    if (answer == nullptr) return {};
    bytes_ = answer->bytes;
    return decode_reply(BytesView(out_).first(answer->bytes)).value();
  }
  static Command command(CommandCode code, std::uint8_t version = kVersionLong) {
    Command command;
    command.version = version;
    command.code = code;
    command.flag = 11;
    command.tag = 77;
    command.digest.bytes.fill(0xd1);
    return command;
  }
  Match stored() {
    Match match;
    match.digest.bytes.fill(0xd1);
    match.exact = true;
    match.slots = 32;
    match.flag_count = 3;
    match.flags = {{{50, 10}, {51, 4}, {52, 1}}};
    match.created = 1'600'000'000;
    return match;
  }

  ServerOptions options_;
  FakeStore store_;
  SeededRandom random_{7};
  WorkerCounters counters_;
  RequestHandler handler_{store_, random_, counters_};
  std::array<std::uint8_t, kSealedReplyBytesMax> out_{};
  std::size_t bytes_ = 0;
};

TEST_F(RequestHandlerTest, AnswersAHitWithEverythingItsFormHolds) {
  store_.put(stored());
  const Reply v2 = reply(handle(command(CommandCode::kCheck, kVersionLongV2)));
  EXPECT_EQ(bytes_, 144U);
  EXPECT_EQ(v2.value, 10);
  EXPECT_EQ(v2.flag, 50U);
  EXPECT_EQ(v2.tag, 77U);
  EXPECT_EQ(v2.probability, 1.0F);
  EXPECT_TRUE(v2.matched);
  EXPECT_EQ(v2.time, 1'600'000'000U);
  EXPECT_EQ(v2.extra_count, 2);
  EXPECT_EQ(v2.extra[0], (FlagValue{51, 4}));
  EXPECT_TRUE(reply(handle(command(CommandCode::kCheck))).matched);
  EXPECT_EQ(bytes_, 96U);
  EXPECT_EQ(reply(handle(command(CommandCode::kCheck, kVersionShort))).value, 10);
  EXPECT_EQ(bytes_, 16U);
  EXPECT_EQ(counters_.read().hits, 3U);
}

TEST_F(RequestHandlerTest, AnswersAMissWithZerosAndTheAskedDigest) {
  const Reply miss = reply(handle(command(CommandCode::kCheck)));
  EXPECT_EQ(miss.value, 0);
  EXPECT_EQ(miss.flag, 0U);
  EXPECT_EQ(miss.probability, 0.0F);
  EXPECT_EQ(miss.digest, command(CommandCode::kCheck).digest);
  EXPECT_FALSE(miss.matched);
}

TEST_F(RequestHandlerTest, NamesTheStoredDigestOfANearDuplicate) {
  Shingles shingles{};
  for (std::size_t i = 0; i < shingles.size(); ++i) shingles[i] = 1000 + i;
  store_.put(stored(), shingles);
  Command near = command(CommandCode::kCheck);
  near.digest.bytes.fill(0xee);
  near.shingle_count = 32;
  near.shingles = shingles;
  for (std::size_t i = 0; i < 12; ++i) near.shingles[i] = i;
  const Reply hit = reply(handle(near));
  EXPECT_EQ(hit.digest, stored().digest);
  EXPECT_FLOAT_EQ(hit.probability, 20.0F / 32.0F);
}

TEST_F(RequestHandlerTest, GivesStrangersInTheClearNoLongReply) {
  for (const std::uint8_t version : {kVersionLongV2, kVersionFlags}) {
    (void)reply(handle(command(CommandCode::kCheck, version), peer("192.0.2.1")));
    EXPECT_EQ(bytes_, 96U);
    (void)reply(handle(command(CommandCode::kCheck, version), peer("::1")));
    EXPECT_EQ(bytes_, 144U);
  }
  options_.trusted = {*Network::parse("192.0.2.0/24")};
  use(options_);
  (void)reply(handle(command(CommandCode::kCheck, kVersionFlags), peer("192.0.2.1")));
  EXPECT_EQ(bytes_, 144U);
}

TEST_F(RequestHandlerTest, CountsInSixtyFourBitsAndIsAHitWhenEmpty) {
  EXPECT_EQ(reply(handle(command(CommandCode::kStat))).probability, 1.0F);
  store_.pretend_size(0x0000'0002'0000'0005);
  const Reply stat = reply(handle(command(CommandCode::kStat)));
  EXPECT_EQ(stat.value, 2);
  EXPECT_EQ(stat.flag, 5U);
}

TEST_F(RequestHandlerTest, EchoesAPing) {
  Command ping = command(CommandCode::kPing);
  ping.value = -5;
  const Reply pong = reply(handle(ping));
  EXPECT_EQ(pong.value, -5);
  EXPECT_EQ(pong.flag, 11U);
  EXPECT_EQ(pong.probability, 1.0F);
}

TEST_F(RequestHandlerTest, RefusesWithTheStatusOfItsReason) {
  struct Case {
    const char* why;
    CommandCode code;
    const char* ip;
    bool read_only;
    bool encrypted_only;
    std::int32_t status;
  };
  constexpr Case kCases[] = {
      {"no right to write", CommandCode::kWrite, "192.0.2.1", false, false, 503},
      {"no right to delete", CommandCode::kDelete, "192.0.2.1", false, false, 503},
      {"nobody writes", CommandCode::kWrite, "127.0.0.1", true, false, 503},
      {"a name we do not know is never done", static_cast<CommandCode>(99), "127.0.0.1", false,
       false, 503},
      {"in the clear", CommandCode::kCheck, "127.0.0.1", false, true, 415},
      {"in the clear, any command", CommandCode::kPing, "127.0.0.1", false, true, 415},
      {"the wire before the right", CommandCode::kWrite, "192.0.2.1", false, true, 415},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.why);
    options_.read_only = c.read_only;
    options_.encrypted_only = c.encrypted_only;
    use(options_);
    const Reply refusal = reply(handle(command(c.code), peer(c.ip)));
    EXPECT_EQ(refusal.value, c.status);
    EXPECT_EQ(refusal.probability, 0.0F);
    EXPECT_EQ(refusal.flag, 11U);
    EXPECT_EQ(refusal.digest, command(c.code).digest);
  }
  EXPECT_EQ(counters_.read().refused, std::size(kCases));
}

TEST_F(RequestHandlerTest, DropsBlockedSourcesUnread) {
  options_.blocked = {*Network::parse("198.51.100.0/24")};
  use(options_);
  const Handled handled = handle(command(CommandCode::kCheck), peer("198.51.100.9"));
  EXPECT_EQ(std::get<Drop>(handled), Drop::kBlocked);
  EXPECT_EQ(counters_.read().blocked, 1U);
}

// Sealed or not, a command or noise: it is dropped before anybody looks at it, so the other drop
// counters stand still; and a packet that would not open is not tried.
TEST_F(RequestHandlerTest, DropsWhoComesTooOftenUnread) {
  const Keypair pair = generate_keypair(random_);
  options_.keypair = {pair};
  options_.ratelimit.rate = 0.001;
  options_.ratelimit.burst = 3;
  use(options_);
  const Bytes noise(200, 0x72);
  Bytes unopenable(160, 1);
  std::copy_n("rsfe", 4, unopenable.begin());
  for (int i = 0; i < 3; ++i) (void)reply(handle(command(CommandCode::kCheck), peer("192.0.2.1")));
  EXPECT_EQ(std::get<Drop>(handle(command(CommandCode::kCheck), peer("192.0.2.2"))),
            Drop::kRateLimited);
  EXPECT_EQ(std::get<Drop>(handle_packet(noise, peer("192.0.2.3"))), Drop::kRateLimited);
  EXPECT_EQ(std::get<Drop>(handle_packet(unopenable, peer("192.0.2.4"))), Drop::kRateLimited);
  EXPECT_EQ(counters_.read().ratelimited, 3U);
  EXPECT_EQ(counters_.read().undecryptable, 0U);
  EXPECT_EQ(counters_.read().invalid, 0U);
  EXPECT_EQ(std::get<Drop>(handle_packet(unopenable, peer("198.51.100.1"))), Drop::kUndecryptable)
      << "another network is read";
  for (int i = 0; i < 50; ++i) (void)reply(handle(command(CommandCode::kPing)));
}

TEST_F(RequestHandlerTest, CountsNoPermittedUpdateAgainstTheLimit) {
  options_.allow_update = {*Network::parse("192.0.2.1")};
  options_.ratelimit.rate = 0.001;
  options_.ratelimit.burst = 3;
  use(options_);
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(std::holds_alternative<PendingUpdate>(
        handle(command(CommandCode::kWrite), peer("192.0.2.1"))));
  }
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(reply(handle(command(CommandCode::kWrite), peer("192.0.2.2"))).value, 503);
  EXPECT_EQ(std::get<Drop>(handle(command(CommandCode::kWrite), peer("192.0.2.2"))),
            Drop::kRateLimited)
      << "a refused one counts: its answer costs as much as any";
}

TEST_F(RequestHandlerTest, LimitsStrangersInTheClearUnlessTold) {
  const auto served = [&](const char* from) {
    use(options_);  // without the buckets of before
    const double most = RateLimitOptions{}.burst + 100;
    int count = 0;
    for (int i = 0; i < most; ++i) {
      const Handled handled = handle(command(CommandCode::kCheck), peer(from));
      count += std::holds_alternative<Answer>(handled) ? 1 : 0;
    }
    return count;
  };
  const int all = static_cast<int>(RateLimitOptions{}.burst) + 100;
  EXPECT_EQ(served("192.0.2.1"), all - 100) << "in the same second no more than at once";
  EXPECT_EQ(served("127.0.0.1"), all);
  EXPECT_EQ(served("::1"), all);
  options_.trusted = {*Network::parse("192.0.2.0/24")};
  EXPECT_EQ(served("192.0.2.1"), all) << "trusted";
  options_.trusted.clear();
  options_.ratelimit.rate = 0;
  EXPECT_EQ(served("192.0.2.1"), all) << "turned off";
}

TEST_F(RequestHandlerTest, NeitherStoresNorShowsSkippedHashes) {
  store_.put(stored());
  options_.skip_hashes = {stored().digest.bytes};
  use(options_);
  const Reply write = reply(handle(command(CommandCode::kWrite)));
  EXPECT_EQ(write.value, kStatusSkipped);
  EXPECT_EQ(write.flag, 11U);
  EXPECT_EQ(write.probability, 0.0F);
  const Reply check = reply(handle(command(CommandCode::kCheck)));
  EXPECT_EQ(check.value, kStatusSkipped);
  EXPECT_EQ(check.flag, 50U);
  EXPECT_EQ(check.probability, 0.0F);
  EXPECT_EQ(reply(handle(command(CommandCode::kWrite), peer("192.0.2.1"))).value, 503)
      << "the right comes first";
  EXPECT_TRUE(std::holds_alternative<PendingUpdate>(handle(command(CommandCode::kDelete))));
}

TEST_F(RequestHandlerTest, KeepsYoungAndForbiddenHashesBack) {
  store_.put(stored());  // of 1 600 000 000, flags 50, 51, 52
  options_.delay = std::chrono::seconds(kNow - 1'600'000'000 + 1);
  use(options_);
  const Reply young = reply(handle(command(CommandCode::kCheck)));
  EXPECT_EQ(young.probability, 0.0F);
  EXPECT_EQ(young.flag, 50U);
  options_.delay_whitelist = {*Network::parse("127.0.0.1")};
  use(options_);
  EXPECT_EQ(reply(handle(command(CommandCode::kCheck))).probability, 1.0F);

  options_.forbidden_ids = {50, 11};
  use(options_);
  const Reply hidden = reply(handle(command(CommandCode::kCheck)));
  EXPECT_EQ(hidden.probability, 0.0F);
  EXPECT_EQ(hidden.flag, 0U);
  EXPECT_EQ(reply(handle(command(CommandCode::kCheck, kVersionFlags))).flag, 51U);
  // A forbidden flag of a request changes no answer to anything but CHECK.
  EXPECT_EQ(reply(handle(command(CommandCode::kPing))).flag, 11U);
  EXPECT_EQ(reply(handle(command(CommandCode::kWrite), peer("192.0.2.1"))).value, 503);
  const auto counted = counters_.read();
  EXPECT_EQ(counted.delayed, 1U);
  EXPECT_EQ(counted.hidden, 1U);
  EXPECT_EQ(counted.hits, 2U);
}

TEST_F(RequestHandlerTest, MarksUpdatesOfWeakLists) {
  options_.weak_ids = {11};
  use(options_);
  const Handled handled = handle(command(CommandCode::kWrite));
  EXPECT_TRUE(std::get<PendingUpdate>(handled).update.weak);
}

TEST_F(RequestHandlerTest, LeavesAnUpdateToItsCaller) {
  Command write = command(CommandCode::kWrite, kVersionLong | kVersionWeakBit);
  write.value = -3;
  const Handled handled = handle(write);
  const auto& pending = std::get<PendingUpdate>(handled);
  EXPECT_EQ(pending.update.flag, 11U);
  EXPECT_EQ(pending.update.value, -3);
  EXPECT_TRUE(pending.update.weak);
  EXPECT_NE(pending.update.source, 0U);
  EXPECT_EQ(reply(handler_.finish(pending.ticket, true, out_)).probability, 1.0F);
  EXPECT_EQ(reply(handler_.finish(pending.ticket, false, out_)).value, kStatusNotPermitted);
  EXPECT_EQ(counters_.read().adds, 1U);
}

TEST_F(RequestHandlerTest, DeletesFromEveryListWhateverTheFlag) {
  const Handled handled = handle(command(CommandCode::kDelete));
  EXPECT_EQ(std::get<PendingUpdate>(handled).update.kind, Update::Kind::kDelete);
  EXPECT_EQ(std::get<PendingUpdate>(handled).update.flag, 0U);
}

// The daemon's own `del --list`. With flag 0 it must not become a DEL, which means every list.
TEST_F(RequestHandlerTest, DeletesFromOneListWithACommandOfOurs) {
  Command one = command(CommandCode::kDeleteFromList);
  const Handled handled = handle(one);
  EXPECT_EQ(std::get<PendingUpdate>(handled).update.kind, Update::Kind::kDelete);
  EXPECT_EQ(std::get<PendingUpdate>(handled).update.flag, 11U);
  one.flag = 0;
  EXPECT_EQ(reply(handle(one)).value, 503);
  EXPECT_EQ(reply(handle(command(CommandCode::kDeleteFromList), peer("192.0.2.1"))).value, 503);
}

TEST_F(RequestHandlerTest, NamesARetransmissionLikeItsFirst) {
  const auto name = [&](const Command& command, const Peer& from) {
    const Handled handled = handle(command, from);
    return std::get<PendingUpdate>(handled).update.name;
  };
  const Command write = command(CommandCode::kWrite);
  const auto first = name(write, peer("127.0.0.1"));
  EXPECT_EQ(name(write, peer("127.0.0.1")), first);
  EXPECT_EQ(name(command(CommandCode::kWrite, kVersionFlags), peer("127.0.0.1")), first);
  EXPECT_NE(name(write, peer("127.0.0.2")), first);
  EXPECT_NE(name(write, {peer("127.0.0.1").ip, 40'001}), first);
  Command other = write;
  other.tag = 78;
  EXPECT_NE(name(other, peer("127.0.0.1")), first);
  other = write;
  other.value = 1;
  EXPECT_NE(name(other, peer("127.0.0.1")), first);
}

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
    EXPECT_EQ(seal_request(server_.public_key, client_.public_key, key(), Nonce{9}, plain, packet),
              packet.size());
    return packet;
  }
  SharedKey key() const { return *shared_key(client_.secret_key, server_.public_key); }

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

// What is sealed does not count, but a stranger's key is only agreed on while the limit lets him.
TEST_F(SealedRequestTest, PassesTheLimitOfItsSource) {
  options_.ratelimit.rate = 0.001;
  options_.ratelimit.burst = 3;
  use(options_);
  const Peer source = peer("192.0.2.1");
  const Bytes packet = sealed(command(CommandCode::kPing));
  const auto is_served = [&](const Bytes& bytes) {
    return std::holds_alternative<Answer>(handle_packet(bytes, source));
  };
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(is_served(packet)) << i;
  for (int i = 0; i < 3; ++i) (void)handle(command(CommandCode::kPing), source);
  EXPECT_EQ(std::get<Drop>(handle(command(CommandCode::kPing), source)), Drop::kRateLimited);
  EXPECT_TRUE(is_served(packet)) << "over the limit others of the network do not take its place";
  Bytes damaged = packet;
  damaged.back() ^= 1;
  EXPECT_EQ(std::get<Drop>(handle_packet(damaged, source)), Drop::kRateLimited)
      << "who names the key of another has no seal of it";
  client_ = generate_keypair(random_);
  EXPECT_FALSE(is_served(sealed(command(CommandCode::kPing)))) << "a new client has to wait";

  options_.ratelimit.encrypted = true;
  use(options_);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_served(packet));
  EXPECT_FALSE(is_served(packet)) << "as it is told to";
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

// Every datagram that was tried on the live servers. Where the two differ we do as the newer one.
TEST_F(RequestHandlerTest, ValidatesAsTheNewerLiveServerDid) {
  SHINGLED_NEED_WIRE_VECTORS();
  options_.keypair = {keypair_of("server1"), keypair_of("server2")};
  use(options_);
  for (const nlohmann::json& c : wire_vectors()->at("validation")) {
    SCOPED_TRACE(c.at("name").get<std::string>());
    const Bytes packet = bytes_of(c.at("packet_hex"));
    // The socket cuts what is longer than 1024 bytes and hands over nothing.
    const BytesView received = packet.size() > kCommandBytesMax ? BytesView{} : BytesView(packet);
    const Handled handled = handle_packet(received, peer("127.0.0.1"));
    const auto* answer = std::get_if<Answer>(&handled);
    const nlohmann::json& expected = c.at("reply_len_4_1_6");
    EXPECT_EQ(answer == nullptr, expected.is_null());
    if (answer == nullptr || expected.is_null()) continue;
    EXPECT_EQ(answer->bytes, expected.get<std::size_t>());
  }
}

}  // namespace
}  // namespace shingled::storage
