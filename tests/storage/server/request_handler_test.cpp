// Covers storage/server/request_handler.cpp, storage/server/request_handler_replies.cpp.
#include "storage/server/request_handler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "storage/crypto/keypair.h"
#include "tests/storage/server/request_fixture.h"
#include "tests/support/wire_vectors.h"

namespace shingled::storage::server {
namespace {

using testing::bytes_of;
using testing::keypair_of;
using testing::wire_vectors;

TEST_F(RequestHandlerTest, AnswersAHitWithAllFieldsOfTheReplyForm) {
  store_.put(stored());
  const protocol::Reply v2 =
      reply(handle(command(protocol::CommandCode::kCheck, protocol::kVersionLongV2)));
  EXPECT_EQ(bytes_, 144U);
  EXPECT_EQ(v2.value, 10);
  EXPECT_EQ(v2.flag, 50U);
  EXPECT_EQ(v2.tag, 77U);
  EXPECT_EQ(v2.probability, 1.0F);
  EXPECT_TRUE(v2.matched);
  EXPECT_EQ(v2.time, 1'600'000'000U);
  EXPECT_EQ(v2.extra_count, 2);
  EXPECT_EQ(v2.extra[0], (FlagValue{51, 4}));
  EXPECT_TRUE(reply(handle(command(protocol::CommandCode::kCheck))).matched);
  EXPECT_EQ(bytes_, 96U);
  EXPECT_EQ(reply(handle(command(protocol::CommandCode::kCheck, protocol::kVersionShort))).value,
            10);
  EXPECT_EQ(bytes_, 16U);
  EXPECT_EQ(counters_.read().hits, 3U);
}

TEST_F(RequestHandlerTest, AnswersAMissWithZerosAndTheDigestOfTheRequest) {
  const protocol::Reply miss = reply(handle(command(protocol::CommandCode::kCheck)));
  EXPECT_EQ(miss.value, 0);
  EXPECT_EQ(miss.flag, 0U);
  EXPECT_EQ(miss.probability, 0.0F);
  EXPECT_EQ(miss.digest, command(protocol::CommandCode::kCheck).digest);
  EXPECT_FALSE(miss.matched);
}

TEST_F(RequestHandlerTest, AnswersANearDuplicateWithTheStoredDigest) {
  Shingles shingles{};
  for (std::size_t i = 0; i < shingles.size(); ++i) shingles[i] = 1000 + i;
  store_.put(stored(), shingles);
  protocol::Command near = command(protocol::CommandCode::kCheck);
  near.digest.bytes.fill(0xee);
  near.shingle_count = 32;
  near.shingles = shingles;
  for (std::size_t i = 0; i < 12; ++i) near.shingles[i] = i;
  const protocol::Reply hit = reply(handle(near));
  EXPECT_EQ(hit.digest, stored().digest);
  EXPECT_FLOAT_EQ(hit.probability, 20.0F / 32.0F);
}

TEST_F(RequestHandlerTest, GivesStrangersInTheClearOnlyTheShortReply) {
  for (const std::uint8_t version : {protocol::kVersionLongV2, protocol::kVersionFlags}) {
    (void)reply(handle(command(protocol::CommandCode::kCheck, version), peer("192.0.2.1")));
    EXPECT_EQ(bytes_, 96U);
    (void)reply(handle(command(protocol::CommandCode::kCheck, version), peer("::1")));
    EXPECT_EQ(bytes_, 144U);
  }
  options_.trusted = {*Network::parse("192.0.2.0/24")};
  use(options_);
  (void)reply(
      handle(command(protocol::CommandCode::kCheck, protocol::kVersionFlags), peer("192.0.2.1")));
  EXPECT_EQ(bytes_, 144U);
}

TEST_F(RequestHandlerTest, AnswersStatWithA64BitCountAndProbabilityOne) {
  EXPECT_EQ(reply(handle(command(protocol::CommandCode::kStat))).probability, 1.0F);
  store_.pretend_size(0x0000'0002'0000'0005);
  const protocol::Reply stat = reply(handle(command(protocol::CommandCode::kStat)));
  EXPECT_EQ(stat.value, 2);
  EXPECT_EQ(stat.flag, 5U);
}

// rspamd has 0 there. A client that wants to use our extensions must know the kind of the server.
TEST_F(RequestHandlerTest, SaysInStatThatItIsShingledAndWhichExtensionsItKnows) {
  EXPECT_EQ(reply(handle(command(protocol::CommandCode::kStat))).time, 0x73686707U);
  EXPECT_EQ(reply(handle(command(protocol::CommandCode::kPing))).time, 0U);
}

TEST_F(RequestHandlerTest, EchoesAPing) {
  protocol::Command ping = command(protocol::CommandCode::kPing);
  ping.value = -5;
  const protocol::Reply pong = reply(handle(ping));
  EXPECT_EQ(pong.value, -5);
  EXPECT_EQ(pong.flag, 11U);
  EXPECT_EQ(pong.probability, 1.0F);
}

TEST_F(RequestHandlerTest, RefusesWithTheStatusOfItsReason) {
  struct Case {
    const char* why;
    protocol::CommandCode code;
    const char* ip;
    bool read_only;
    bool encrypted_only;
    std::int32_t status;
  };
  constexpr Case kCases[] = {
      {"no permission to write", protocol::CommandCode::kWrite, "192.0.2.1", false, false, 503},
      {"no permission to delete", protocol::CommandCode::kDelete, "192.0.2.1", false, false, 503},
      {"nobody may write", protocol::CommandCode::kWrite, "127.0.0.1", true, false, 503},
      {"an unknown command", static_cast<protocol::CommandCode>(99), "127.0.0.1", false, false,
       503},
      {"in the clear", protocol::CommandCode::kCheck, "127.0.0.1", false, true, 415},
      {"in the clear, any command", protocol::CommandCode::kPing, "127.0.0.1", false, true, 415},
      {"encryption is checked before permission", protocol::CommandCode::kWrite, "192.0.2.1", false,
       true, 415},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.why);
    options_.read_only = c.read_only;
    options_.encrypted_only = c.encrypted_only;
    use(options_);
    const protocol::Reply refusal = reply(handle(command(c.code), peer(c.ip)));
    EXPECT_EQ(refusal.value, c.status);
    EXPECT_EQ(refusal.probability, 0.0F);
    EXPECT_EQ(refusal.flag, 11U);
    EXPECT_EQ(refusal.digest, command(c.code).digest);
  }
  EXPECT_EQ(counters_.read().refused, std::size(kCases));
}

TEST_F(RequestHandlerTest, DropsPacketsOfBlockedSourcesUnread) {
  options_.blocked = {*Network::parse("198.51.100.0/24")};
  use(options_);
  const Handled handled = handle(command(protocol::CommandCode::kCheck), peer("198.51.100.9"));
  EXPECT_EQ(std::get<Drop>(handled), Drop::kBlocked);
  EXPECT_EQ(counters_.read().blocked, 1U);
}

// Sealed or in the clear, a command or noise: the packet is dropped before it is read. So the other
// drop counters do not change, and a sealed packet is not opened.
TEST_F(RequestHandlerTest, DropsPacketsBeyondTheRateLimitUnread) {
  const Keypair pair = crypto::generate_keypair(random_);
  options_.keypair = {pair};
  options_.ratelimit.rate = 0.001;
  options_.ratelimit.burst = 3;
  use(options_);
  const Bytes noise(200, 0x72);
  Bytes unopenable(160, 1);
  std::copy_n("rsfe", 4, unopenable.begin());
  for (int i = 0; i < 3; ++i)
    (void)reply(handle(command(protocol::CommandCode::kCheck), peer("192.0.2.1")));
  EXPECT_EQ(std::get<Drop>(handle(command(protocol::CommandCode::kCheck), peer("192.0.2.2"))),
            Drop::kRateLimited);
  EXPECT_EQ(std::get<Drop>(handle_packet(noise, peer("192.0.2.3"))), Drop::kRateLimited);
  EXPECT_EQ(std::get<Drop>(handle_packet(unopenable, peer("192.0.2.4"))), Drop::kRateLimited);
  EXPECT_EQ(counters_.read().ratelimited, 3U);
  EXPECT_EQ(counters_.read().undecryptable, 0U);
  EXPECT_EQ(counters_.read().invalid, 0U);
  EXPECT_EQ(std::get<Drop>(handle_packet(unopenable, peer("198.51.100.1"))), Drop::kUndecryptable)
      << "another network is not limited";
  for (int i = 0; i < 50; ++i) (void)reply(handle(command(protocol::CommandCode::kPing)));
}

TEST_F(RequestHandlerTest, DoesNotCountPermittedUpdatesAgainstTheLimit) {
  options_.allow_update = {*Network::parse("192.0.2.1")};
  options_.ratelimit.rate = 0.001;
  options_.ratelimit.burst = 3;
  use(options_);
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(std::holds_alternative<PendingUpdate>(
        handle(command(protocol::CommandCode::kWrite), peer("192.0.2.1"))));
  }
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(reply(handle(command(protocol::CommandCode::kWrite), peer("192.0.2.2"))).value, 503);
  EXPECT_EQ(std::get<Drop>(handle(command(protocol::CommandCode::kWrite), peer("192.0.2.2"))),
            Drop::kRateLimited)
      << "a refused update counts: its answer costs as much as any other";
}

TEST_F(RequestHandlerTest, LimitsStrangersInTheClearUnlessConfiguredOtherwise) {
  const auto served = [&](const char* from) {
    use(options_);  // with new buckets
    const double most = RateLimitOptions{}.burst + 100;
    int count = 0;
    for (int i = 0; i < most; ++i) {
      const Handled handled = handle(command(protocol::CommandCode::kCheck), peer(from));
      count += std::holds_alternative<Answer>(handled) ? 1 : 0;
    }
    return count;
  };
  const int all = static_cast<int>(RateLimitOptions{}.burst) + 100;
  EXPECT_EQ(served("192.0.2.1"), all - 100) << "within one second only the burst";
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
  const protocol::Reply write = reply(handle(command(protocol::CommandCode::kWrite)));
  EXPECT_EQ(write.value, protocol::kStatusSkipped);
  EXPECT_EQ(write.flag, 11U);
  EXPECT_EQ(write.probability, 0.0F);
  const protocol::Reply check = reply(handle(command(protocol::CommandCode::kCheck)));
  EXPECT_EQ(check.value, protocol::kStatusSkipped);
  EXPECT_EQ(check.flag, 50U);
  EXPECT_EQ(check.probability, 0.0F);
  EXPECT_EQ(reply(handle(command(protocol::CommandCode::kWrite), peer("192.0.2.1"))).value, 503)
      << "the permission is checked first";
  EXPECT_TRUE(
      std::holds_alternative<PendingUpdate>(handle(command(protocol::CommandCode::kDelete))));
}

TEST_F(RequestHandlerTest, HidesNewAndForbiddenHashes) {
  store_.put(stored());  // of 1 600 000 000, flags 50, 51, 52
  options_.delay = std::chrono::seconds(kNow - 1'600'000'000 + 1);
  use(options_);
  const protocol::Reply young = reply(handle(command(protocol::CommandCode::kCheck)));
  EXPECT_EQ(young.probability, 0.0F);
  EXPECT_EQ(young.flag, 50U);
  options_.delay_whitelist = {*Network::parse("127.0.0.1")};
  use(options_);
  EXPECT_EQ(reply(handle(command(protocol::CommandCode::kCheck))).probability, 1.0F);

  options_.forbidden_ids = {50, 11};
  use(options_);
  const protocol::Reply hidden = reply(handle(command(protocol::CommandCode::kCheck)));
  EXPECT_EQ(hidden.probability, 0.0F);
  EXPECT_EQ(hidden.flag, 0U);
  EXPECT_EQ(reply(handle(command(protocol::CommandCode::kCheck, protocol::kVersionFlags))).flag,
            51U);
  // A forbidden flag in the request changes only the answer to CHECK.
  EXPECT_EQ(reply(handle(command(protocol::CommandCode::kPing))).flag, 11U);
  EXPECT_EQ(reply(handle(command(protocol::CommandCode::kWrite), peer("192.0.2.1"))).value, 503);
  const auto counted = counters_.read();
  EXPECT_EQ(counted.delayed, 1U);
  EXPECT_EQ(counted.hidden, 1U);
  EXPECT_EQ(counted.hits, 2U);
}

TEST_F(RequestHandlerTest, MarksUpdatesOfWeakLists) {
  options_.weak_ids = {11};
  use(options_);
  const Handled handled = handle(command(protocol::CommandCode::kWrite));
  EXPECT_TRUE(std::get<PendingUpdate>(handled).update.weak);
}

TEST_F(RequestHandlerTest, ReturnsAnUpdateToItsCaller) {
  protocol::Command write =
      command(protocol::CommandCode::kWrite, protocol::kVersionLong | protocol::kVersionWeakBit);
  write.value = -3;
  const Handled handled = handle(write);
  const auto& pending = std::get<PendingUpdate>(handled);
  EXPECT_EQ(pending.update.flag, 11U);
  EXPECT_EQ(pending.update.value, -3);
  EXPECT_TRUE(pending.update.weak);
  EXPECT_NE(pending.update.source, 0U);
  EXPECT_EQ(reply(handler_.finish(pending.ticket, true, out_)).probability, 1.0F);
  EXPECT_EQ(reply(handler_.finish(pending.ticket, false, out_)).value,
            protocol::kStatusNotPermitted);
  EXPECT_EQ(counters_.read().adds, 1U);
}

TEST_F(RequestHandlerTest, DeletesFromEveryListWhateverTheFlag) {
  const Handled handled = handle(command(protocol::CommandCode::kDelete));
  EXPECT_EQ(std::get<PendingUpdate>(handled).update.kind, Update::Kind::kDelete);
  EXPECT_EQ(std::get<PendingUpdate>(handled).update.flag, 0U);
}

TEST_F(RequestHandlerTest, TakesACompanionOnlyFromAWrite) {
  for (const protocol::CommandCode code :
       {protocol::CommandCode::kWrite, protocol::CommandCode::kDelete,
        protocol::CommandCode::kDeleteFromList}) {
    Digest robust;
    robust.bytes.fill(7);
    const auto extension = protocol::companion_extension(robust);
    protocol::Command named = command(code);
    named.extensions = extension;
    const Handled handled = handle(named);
    const auto& update = std::get<PendingUpdate>(handled).update;
    EXPECT_EQ(update.companion,
              code == protocol::CommandCode::kWrite ? std::optional(robust) : std::nullopt);
  }
}

// Our own `del --list`. With flag 0 it must not become a DEL, which means all lists.
TEST_F(RequestHandlerTest, DeletesFromOneListWithOurOwnCommand) {
  protocol::Command one = command(protocol::CommandCode::kDeleteFromList);
  const Handled handled = handle(one);
  EXPECT_EQ(std::get<PendingUpdate>(handled).update.kind, Update::Kind::kDelete);
  EXPECT_EQ(std::get<PendingUpdate>(handled).update.flag, 11U);
  one.flag = 0;
  EXPECT_EQ(reply(handle(one)).value, 503);
  EXPECT_EQ(reply(handle(command(protocol::CommandCode::kDeleteFromList), peer("192.0.2.1"))).value,
            503);
}

TEST_F(RequestHandlerTest, GivesARetransmissionTheNameOfTheFirstRequest) {
  const auto name = [&](const protocol::Command& command, const Peer& from) {
    const Handled handled = handle(command, from);
    return std::get<PendingUpdate>(handled).update.name;
  };
  const protocol::Command write = command(protocol::CommandCode::kWrite);
  const auto first = name(write, peer("127.0.0.1"));
  EXPECT_EQ(name(write, peer("127.0.0.1")), first);
  EXPECT_EQ(
      name(command(protocol::CommandCode::kWrite, protocol::kVersionFlags), peer("127.0.0.1")),
      first);
  EXPECT_NE(name(write, peer("127.0.0.2")), first);
  EXPECT_NE(name(write, {peer("127.0.0.1").ip, 40'001}), first);
  protocol::Command other = write;
  other.tag = 78;
  EXPECT_NE(name(other, peer("127.0.0.1")), first);
  other = write;
  other.value = 1;
  EXPECT_NE(name(other, peer("127.0.0.1")), first);
}

// Every datagram that was tried on the live rspamd servers. Where they differ, we follow the newer
// one.
TEST_F(RequestHandlerTest, ValidatesAsTheNewerLiveServerDid) {
  SHINGLED_NEED_WIRE_VECTORS();
  options_.keypair = {keypair_of("server1"), keypair_of("server2")};
  use(options_);
  for (const nlohmann::json& c : wire_vectors()->at("validation")) {
    SCOPED_TRACE(c.at("name").get<std::string>());
    const Bytes packet = bytes_of(c.at("packet_hex"));
    // The socket truncates packets longer than 1024 bytes and returns an empty packet.
    const BytesView received =
        packet.size() > protocol::kCommandBytesMax ? BytesView{} : BytesView(packet);
    const Handled handled = handle_packet(received, peer("127.0.0.1"));
    const auto* answer = std::get_if<Answer>(&handled);
    const nlohmann::json& expected = c.at("reply_len_4_1_6");
    EXPECT_EQ(answer == nullptr, expected.is_null());
    if (answer == nullptr || expected.is_null()) continue;
    EXPECT_EQ(answer->bytes, expected.get<std::size_t>());
  }
}

}  // namespace
}  // namespace shingled::storage::server
