#include "storage/client/exchange.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "storage/crypto/keypair.h"
#include "tests/storage/client/exchange_fixture.h"

namespace shingled::storage::client {
namespace {

using std::chrono::milliseconds;
using Kind = RemoteRequest::Kind;
using Outcome = RemoteAnswer::Outcome;

constexpr milliseconds kFallBack{250};

SocketAddress address(std::uint16_t port) { return {*IpAddress::parse("192.0.2.1"), port}; }

TEST_F(ExchangeTest, AsksAnUnknownServerInTheNewVersionAndSoonInTheOldOne) {
  use({{address(1)}});
  begin({request(Kind::kCheck)});
  const auto first = send();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].command.version, protocol::kVersionLongV2);
  EXPECT_TRUE(send_after(kFallBack - milliseconds(1)).empty());
  const auto second = send_after(milliseconds(1));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].command.version, protocol::kVersionLong);
  EXPECT_EQ(second[0].command.tag, first[0].command.tag);
  answer(second[0], protocol::ReplyForm::kV1);
  ASSERT_TRUE(exchange_->done());
  EXPECT_EQ(exchange_->answers()[0].outcome, Outcome::kHit);
  EXPECT_EQ(exchange_->answers()[0].time, kFallBack);

  begin({request(Kind::kCheck)});
  EXPECT_EQ(send()[0].command.version, protocol::kVersionLong) << "the version is known by now";
  EXPECT_TRUE(send_after(kTimeout - milliseconds(1)).empty());
}

TEST_F(ExchangeTest, KeepsTheNewVersionWithAServerThatUnderstandsIt) {
  for (const protocol::ReplyForm form : {protocol::ReplyForm::kV2, protocol::ReplyForm::kV1}) {
    use({{address(1)}});
    begin({request(Kind::kCheck)});
    answer(send()[0], form);
    EXPECT_EQ(exchange_->answers()[0].match->flag_count, form == protocol::ReplyForm::kV2 ? 2 : 1);
    begin({request(Kind::kCheck)});
    EXPECT_EQ(send()[0].command.version, protocol::kVersionLongV2);
    EXPECT_TRUE(send_after(kTimeout - milliseconds(1)).empty());
    EXPECT_EQ(send_after(milliseconds(1))[0].command.version, protocol::kVersionLongV2);
  }
}

TEST_F(ExchangeTest, SendsAnUpdateInOneVersionOnly) {
  use({{address(1)}});
  for (const Kind kind : {Kind::kAdd, Kind::kDelete, Kind::kStat, Kind::kPing}) {
    begin({request(kind)});
    EXPECT_EQ(send()[0].command.version, protocol::kVersionLong);
    EXPECT_TRUE(send_after(kTimeout - milliseconds(1)).empty());
  }
}

TEST_F(ExchangeTest, RepeatsByteForByteThenGivesUpTheServer) {
  use({{address(1)}});
  begin({request(Kind::kAdd)});
  const auto first = send();
  const auto second = send_after(kTimeout);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].packet, first[0].packet);
  EXPECT_TRUE(send_after(kTimeout).empty());
  ASSERT_TRUE(exchange_->done());
  EXPECT_EQ(exchange_->answers()[0].outcome, Outcome::kTimeout);
}

TEST_F(ExchangeTest, HopsToTheNextServerAndAcceptsALateAnswerFromTheFirst) {
  use({{address(1)}, {address(2)}});
  service_->upstreams()->learn(0, WireVersion::kPlain, clock_.now());
  service_->upstreams()->learn(1, WireVersion::kPlain, clock_.now());
  begin({request(Kind::kCheck)});
  const auto first = send();
  ASSERT_EQ(first.size(), 1U);
  (void)send_after(kTimeout);
  const auto hopped = send_after(kTimeout);
  ASSERT_EQ(hopped.size(), 1U);
  EXPECT_NE(hopped[0].endpoint, first[0].endpoint);
  answer(first[0], protocol::ReplyForm::kV1);
  ASSERT_TRUE(exchange_->done());
  EXPECT_EQ(exchange_->answers()[0].server,
            service_->upstreams()->endpoints()[first[0].endpoint].name);
}

// The Redis of this server is away; the next server may have another one, or no Redis.
TEST_F(ExchangeTest, HopsFromAServerThatCannotAskItsStore) {
  const auto store_away = [](const protocol::Command& command) {
    protocol::Reply reply;
    reply.tag = command.tag;
    reply.value = protocol::kStatusStoreAway;
    Bytes packet(protocol::kReplyBytesMax);
    packet.resize(protocol::encode_reply(reply, protocol::ReplyForm::kV2, packet));
    return packet;
  };
  for (const bool second_knows : {true, false}) {
    use({{address(1)}, {address(2)}});
    begin({request(Kind::kCheck)});
    const auto first = send();
    ASSERT_EQ(first.size(), 1U);
    exchange_->receive(first[0].endpoint, store_away(first[0].command), clock_.now());
    EXPECT_FALSE(exchange_->done());
    const auto second = send();
    ASSERT_EQ(second.size(), 1U);
    EXPECT_NE(second[0].endpoint, first[0].endpoint);
    if (second_knows) {
      answer(second[0], protocol::ReplyForm::kV2);
    } else {
      exchange_->receive(second[0].endpoint, store_away(second[0].command), clock_.now());
    }
    ASSERT_TRUE(exchange_->done());
    const RemoteAnswer told = exchange_->answers()[0];
    EXPECT_EQ(told.outcome,
              second_knows ? RemoteAnswer::Outcome::kHit : RemoteAnswer::Outcome::kRefused);
    EXPECT_EQ(told.status, second_knows ? 0 : protocol::kStatusStoreAway);
    EXPECT_EQ(told.server, service_->upstreams()->endpoints()[second[0].endpoint].name);
  }
}

TEST_F(ExchangeTest, LeavesAServerAloneAfterFailuresInARow) {
  use({{address(1)}, {address(2)}});
  for (int i = 0; i < 4; ++i) {  // each starts at another server, and server 0 never answers
    begin({request(Kind::kCheck)});
    while (!exchange_->done()) {
      for (const Sent& sent : send()) {
        if (sent.endpoint == 1) answer(sent, protocol::ReplyForm::kV2);
      }
      clock_.advance(kFallBack);
    }
  }
  for (int i = 0; i < 4; ++i) {
    begin({request(Kind::kCheck)});
    EXPECT_EQ(send()[0].endpoint, 1U);
  }
  clock_.advance(milliseconds(60'000));
  std::size_t to_the_first = 0;
  for (int i = 0; i < 4; ++i) {
    begin({request(Kind::kCheck)});
    to_the_first += send()[0].endpoint == 0 ? 1U : 0U;
  }
  EXPECT_EQ(to_the_first, 2U);
}

TEST_F(ExchangeTest, HopsAtOnceFromAnUnreachableServer) {
  use({{address(1)}, {address(2)}});
  begin({request(Kind::kCheck)});
  const auto first = send();
  exchange_->unreachable(first[0].endpoint, "Connection refused", clock_.now());
  const auto second = send();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_NE(second[0].endpoint, first[0].endpoint);
  exchange_->unreachable(second[0].endpoint, "Connection refused", clock_.now());
  ASSERT_TRUE(exchange_->done());
  EXPECT_EQ(exchange_->answers()[0].outcome, Outcome::kUnreachable);
  EXPECT_EQ(exchange_->answers()[0].error, "Connection refused");
}

TEST_F(ExchangeTest, SendsUpdatesToEveryServerAndReportsTheWorstAnswer) {
  use({{address(1)}, {address(2)}, {address(3)}});
  begin({request(Kind::kAdd)});
  const auto sent = send();
  ASSERT_EQ(sent.size(), 3U);
  answer(sent[0], protocol::ReplyForm::kV1);
  answer(sent[2], protocol::ReplyForm::kV1);
  EXPECT_FALSE(exchange_->done());
  clock_.advance(milliseconds(10));
  exchange_->give_up(clock_.now());
  ASSERT_EQ(exchange_->answers().size(), 1U);
  EXPECT_EQ(exchange_->answers()[0].outcome, Outcome::kTimeout);
  EXPECT_EQ(exchange_->answers()[0].server, "192.0.2.1:2");
}

TEST_F(ExchangeTest, ReturnsTheAnswerOfEachServerIfEveryoneIsAsked) {
  use({{address(1)}, {address(2)}});
  begin({request(Kind::kStat)}, Audience::kEveryone);
  const auto sent = send();
  ASSERT_EQ(sent.size(), 2U);
  answer(sent[1], protocol::ReplyForm::kV1);
  exchange_->give_up(clock_.now());
  const auto answers = exchange_->answers();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].outcome, Outcome::kTimeout);
  EXPECT_EQ(answers[1].outcome, Outcome::kDone);
  EXPECT_EQ(answers[1].count, std::uint64_t{10} << 32 | 50);
}

TEST_F(ExchangeTest, IgnoresPacketsThatAnswerNoQuestion) {
  use({{address(1)}, {address(2)}});
  begin({request(Kind::kCheck)});
  const auto sent = send();
  Sent other = sent[0];
  other.command.tag ^= 1;
  answer(other, protocol::ReplyForm::kV2);
  answer(sent[0], protocol::ReplyForm::kShort);
  Sent elsewhere = sent[0];
  elsewhere.endpoint = 1 - sent[0].endpoint;
  answer(elsewhere, protocol::ReplyForm::kV2);
  exchange_->receive(sent[0].endpoint, Bytes(95), clock_.now());
  EXPECT_FALSE(exchange_->done());
  answer(sent[0], protocol::ReplyForm::kV2);
  EXPECT_TRUE(exchange_->done());
}

TEST_F(ExchangeTest, ForgetsAfterAWhileThatAServerLookedOld) {
  use({{address(1)}});
  begin({request(Kind::kCheck)});
  (void)send();  // lost on the way
  answer(send_after(kFallBack)[0], protocol::ReplyForm::kV1);
  begin({request(Kind::kCheck)});
  EXPECT_EQ(send()[0].command.version, protocol::kVersionLong);
  exchange_->give_up(clock_.now() - kTimeout);
  begin({request(Kind::kCheck)});
  EXPECT_EQ(send_after(Upstreams::kPlainTime + kTimeout)[0].command.version,
            protocol::kVersionLongV2);
}

TEST_F(ExchangeTest, LearnsFromALateAnswerThatAServerIsSlowNotOld) {
  use({{address(1)}});
  begin({request(Kind::kCheck)});
  const auto first = send();
  const auto second = send_after(kFallBack);
  answer(second[0], protocol::ReplyForm::kV1);
  EXPECT_EQ(service_->upstreams()->wire_version(0, clock_.now()), WireVersion::kPlain);
  answer(first[0], protocol::ReplyForm::kV2);
  EXPECT_EQ(service_->upstreams()->wire_version(0, clock_.now()), WireVersion::kFlags);
}

TEST_F(ExchangeTest, UsesOnlyTheConfiguredVersion) {
  struct Case {
    const char* why;
    std::uint8_t protocol;
    protocol::ReplyForm form;
    bool taken;
  };
  constexpr Case kCases[] = {
      {"the oldest form", 3, protocol::ReplyForm::kShort, true},
      {"the form that every server knows", 4, protocol::ReplyForm::kV1, true},
      {"a short reply that was not asked for", 4, protocol::ReplyForm::kShort, false},
      {"flags, asked by a bit", 0x14, protocol::ReplyForm::kV2, true},
      {"flags, asked by the version", 5, protocol::ReplyForm::kV2, true},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.why);
    protocol_ = c.protocol;
    use({{address(1)}});
    for (const Kind kind : {Kind::kCheck, Kind::kAdd}) {
      begin({request(kind)});
      const auto sent = send();
      ASSERT_EQ(sent.size(), 1U);
      EXPECT_EQ(sent[0].command.version, c.protocol);
      EXPECT_TRUE(send_after(kTimeout - milliseconds(1)).empty()) << "no other version is tried";
      answer(sent[0], c.form);
      EXPECT_EQ(exchange_->done(), c.taken);
    }
  }
}

TEST_F(ExchangeTest, WithHashRotationAsksTheSameServerForTheSameDigest) {
  rotation_ = Rotation::kHash;
  use({{address(1)}, {address(2)}, {address(3)}});
  std::map<std::uint8_t, std::size_t> home;
  for (int round = 0; round < 3; ++round) {
    std::vector<RemoteRequest> requests;
    for (std::uint8_t i = 0; i < 40; ++i) requests.push_back(request(Kind::kCheck, i));
    begin(requests);
    while (!exchange_->done()) {
      for (const Sent& sent : send()) {
        const std::uint8_t content = sent.command.digest.bytes[0];
        EXPECT_EQ(home.try_emplace(content, sent.endpoint).first->second, sent.endpoint);
        answer(sent, protocol::ReplyForm::kV2);
      }
    }
  }
  std::set<std::size_t> used;
  for (const auto& [content, endpoint] : home) used.insert(endpoint);
  EXPECT_EQ(used.size(), 3U);
}

TEST_F(ExchangeTest, CountsTheOutcomeOfEachPacket) {
  use({{address(1)}});
  service_->upstreams()->learn(0, WireVersion::kFlags, clock_.now());
  begin({request(Kind::kCheck, 1), request(Kind::kCheck, 2), request(Kind::kCheck, 3)});
  const auto sent = send();
  ASSERT_EQ(sent.size(), 3U);
  clock_.advance(milliseconds(30));
  answer(sent[0], protocol::ReplyForm::kV2);
  answer(sent[0], protocol::ReplyForm::kV2);  // doubled on the way
  const auto repeated = send_after(kTimeout);
  ASSERT_EQ(repeated.size(), 2U);
  answer(repeated[0], protocol::ReplyForm::kV2);
  (void)send_after(kTimeout);
  ASSERT_TRUE(exchange_->done());
  const ServerStatistics counted = service_->upstreams()->statistics()[0];
  EXPECT_EQ(counted.requests, 3U);
  EXPECT_EQ(counted.repeats, 2U);
  EXPECT_EQ(counted.replies, 2U);
  EXPECT_EQ(counted.strays, 1U);
  EXPECT_EQ(counted.timeouts, 1U);
  EXPECT_EQ(counted.latency_max, kTimeout + milliseconds(30));
  EXPECT_EQ(counted.latency_mean(), (kTimeout + milliseconds(60)) / 2);
}

TEST_F(ExchangeTest, ProbesGoOnlyToTheirEndpoint) {
  use({{address(1)}, {address(2)}});
  requests_ = {request(Kind::kCheck)};
  const std::size_t second = 1;
  exchange_ = std::make_unique<Exchange>(*service_, service_->upstreams(), requests_,
                                         std::span(&second, 1), clock_.now());
  for (int i = 0; i < 10 && !exchange_->done(); ++i) {
    for (const Sent& sent : send_after(kTimeout)) EXPECT_EQ(sent.endpoint, second);
  }
  ASSERT_TRUE(exchange_->done());
  EXPECT_EQ(exchange_->answers()[0].outcome, Outcome::kTimeout);
}

TEST_F(ExchangeTest, RefusesAFlagThatTheProtocolCannotCarry) {
  use({{address(1)}});
  RemoteRequest large = request(Kind::kAdd);
  large.flag = 256;
  begin({large});
  EXPECT_TRUE(send().empty());
  ASSERT_TRUE(exchange_->done());
  EXPECT_EQ(exchange_->answers()[0].outcome, Outcome::kRefused);
}

}  // namespace
}  // namespace shingled::storage::client
