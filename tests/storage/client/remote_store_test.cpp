// Covers storage/client/upstreams.cpp, storage/client/wait.cpp.
#include "storage/client/remote_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "storage/client/upstreams.h"
#include "storage/crypto/keypair.h"
#include "storage/protocol/codec.h"
#include "storage/server/fuzzy_server.h"
#include "tests/storage/client/remote_store_fixture.h"
#include "tests/support/fake_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::client {
namespace {

using namespace remote_store_test;

TEST(RemoteStore, AddsChecksCountsAndDeletes) {
  const Keypair keypair = crypto::generate_keypair(system_random());
  for (const bool encrypted : {false, true}) {
    ServerOptions options;
    options.encrypted_only = encrypted;
    options.keypair = {keypair};
    Served served(options);
    const auto store =
        open_store({served.spec()}, encrypted ? std::optional(keypair.public_key) : std::nullopt);
    EXPECT_EQ(ask_one(*store, request(Kind::kCheck)).outcome, Outcome::kMiss);
    EXPECT_EQ(ask_one(*store, request(Kind::kAdd)).outcome, Outcome::kDone);
    const RemoteAnswer hit = ask_one(*store, request(Kind::kCheck));
    ASSERT_EQ(hit.outcome, Outcome::kHit);
    EXPECT_EQ(hit.match->flags[0], (FlagValue{50, 3}));
    EXPECT_EQ(hit.server, served.spec().host + ":" + std::to_string(served.spec().port));
    EXPECT_EQ(ask_one(*store, request(Kind::kStat)).count, 1U);
    EXPECT_EQ(ask_one(*store, request(Kind::kPing)).outcome, Outcome::kDone);
    EXPECT_EQ(ask_one(*store, request(Kind::kDelete)).outcome, Outcome::kDone);
    EXPECT_EQ(ask_one(*store, request(Kind::kCheck)).outcome, Outcome::kMiss);
  }
}

TEST(RemoteStore, GetsAThousandAnswersAndUpdatesThroughOneSocket) {
  constexpr std::size_t kMany = 1000;
  Served served;
  const auto store = open_store({served.spec()});
  std::vector<RemoteRequest> requests(kMany, request(Kind::kAdd));
  for (RemoteRequest& one : requests) system_random().fill(one.fingerprint.digest.bytes);
  for (const Kind kind : {Kind::kAdd, Kind::kCheck}) {
    for (RemoteRequest& one : requests) one.kind = kind;
    const RemoteBatch batch{store.get(), requests};
    const auto answers = ask({&batch, 1}, far())[0];
    for (const RemoteAnswer& answer : answers)
      ASSERT_EQ(answer.outcome, kind == Kind::kAdd ? Outcome::kDone : Outcome::kHit);
  }
  EXPECT_EQ(served.store.size(), kMany);
  EXPECT_EQ(store->statistics()[0].repeats, 0U) << "a window fits into the buffers";
}

TEST(RemoteStore, ReportsARefusalWithItsStatus) {
  ServerOptions options;
  options.encrypted_only = true;
  Served served(options);
  const auto store = open_store({served.spec()});
  const RemoteAnswer refused = ask_one(*store, request(Kind::kAdd));
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_EQ(refused.status, 415);
}

TEST(RemoteStore, AsksSeveralServicesInOneWait) {
  Served first;
  Served second;
  const auto a = open_store({first.spec()});
  const auto b = open_store({second.spec()});
  ASSERT_EQ(ask_one(*b, request(Kind::kAdd, 7)).outcome, Outcome::kDone);
  std::vector<RemoteRequest> requests;
  for (std::uint8_t i = 0; i < 20; ++i) requests.push_back(request(Kind::kCheck, i));
  const RemoteBatch batches[] = {{a.get(), requests}, {b.get(), requests}};
  const auto answers = ask(batches, far());
  ASSERT_EQ(answers.size(), 2U);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(answers[0][i].outcome, Outcome::kMiss);
    EXPECT_EQ(answers[1][i].outcome, i == 7 ? Outcome::kHit : Outcome::kMiss);
  }
}

TEST(RemoteStore, TrainsAllServersAndReturnsTheAnswerOfEach) {
  Served first;
  Served second;
  const auto store = open_store({first.spec(), second.spec()});
  EXPECT_EQ(ask_one(*store, request(Kind::kAdd)).outcome, Outcome::kDone);
  EXPECT_EQ(first.store.applied(), 1U);
  EXPECT_EQ(second.store.applied(), 1U);
  const auto stats = ask_each(*store, request(Kind::kStat), far());
  ASSERT_EQ(stats.size(), 2U);
  EXPECT_EQ(stats[0].count, 1U);
  EXPECT_EQ(stats[1].count, 1U);
}

TEST(RemoteStore, ReportsWithoutWaitingThatNobodyListens) {
  std::optional<UdpPeer> gone(std::in_place);
  const SocketSpec nowhere = spec_of(gone->address());
  gone.reset();
  const auto store = open_store({nowhere});
  const RemoteAnswer answer = ask_one(*store, request(Kind::kCheck));
  EXPECT_EQ(answer.outcome, Outcome::kUnreachable);
  EXPECT_FALSE(answer.error.empty());
  Served served;
  const auto pair = open_store({nowhere, served.spec()});
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(ask_one(*pair, request(Kind::kCheck)).outcome, Outcome::kMiss);
}

TEST(RemoteStore, TimesOutAtTheDeadline) {
  UdpPeer silent;
  const auto store = open_store({spec_of(silent.address())});
  const RemoteAnswer answer =
      ask_one(*store, request(Kind::kCheck), system_clock().now() + milliseconds(30));
  EXPECT_EQ(answer.outcome, Outcome::kTimeout);
  EXPECT_EQ(ask_one(*store, request(Kind::kCheck), system_clock().now()).outcome,
            Outcome::kTimeout);
}

TEST(RemoteStore, TheErrorNamesTheServerThatCannotBeFound) {
  RemoteOptions options;
  EXPECT_EQ(RemoteStore::open(options, system_clock(), system_random()).error().code,
            ErrorCode::kInvalid);
  options.servers.servers = {*ServerSpec::parse("no-such-host.invalid", 11335)};
  const auto unknown = RemoteStore::open(options, system_clock(), system_random());
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("no-such-host.invalid"), std::string::npos);
}

TEST(RemoteStore, AsksSomeServersAndTeachesOthers) {
  const Keypair keypair = crypto::generate_keypair(system_random());
  ServerOptions sealed_only;
  sealed_only.encrypted_only = true;
  sealed_only.keypair = {keypair};
  Served reader(sealed_only);
  Served writer;
  RemoteOptions options;
  options.timeout = milliseconds(5000);
  options.read_servers.servers = {{reader.spec(), {}, 1}};
  options.write_servers.servers = {{writer.spec(), {}, 1}};
  options.read_encryption_key = keypair.public_key;
  options.write_encryption_key =
      crypto::generate_keypair(system_random()).public_key;  // not the writer's
  auto store = std::move(RemoteStore::open(options, system_clock(), system_random()).value());
  const RemoteRequest lesson = request(Kind::kAdd);
  EXPECT_EQ(ask_one(*store, lesson, system_clock().now() + milliseconds(50)).outcome,
            Outcome::kTimeout)
      << "each list has its own key";

  options.write_servers = options.read_servers;  // the server that has this key
  options.write_encryption_key.reset();
  options.read_servers.servers = {{writer.spec(), {}, 1}, {reader.spec(), {}, 1}};
  store = std::move(RemoteStore::open(options, system_clock(), system_random()).value());
  EXPECT_EQ(ask_one(*store, lesson).outcome, Outcome::kDone);
  EXPECT_EQ(reader.store.applied(), 1U);
  EXPECT_EQ(writer.store.applied(), 0U);
}

TEST(RemoteStore, SplitsAMixedBatchAndReturnsTheAnswersOfAllServers) {
  Served reader;
  Served writer;
  RemoteOptions options;
  options.timeout = milliseconds(5000);
  options.read_servers.servers = {{reader.spec(), {}, 1}};
  options.write_servers.servers = {{writer.spec(), {}, 1}};
  const auto store = std::move(RemoteStore::open(options, system_clock(), system_random()).value());
  const RemoteRequest mixed[] = {request(Kind::kAdd), request(Kind::kCheck), request(Kind::kStat)};
  const RemoteBatch batch{store.get(), mixed};
  const auto answers = ask({&batch, 1}, far())[0];
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0].outcome, Outcome::kDone);
  EXPECT_EQ(answers[1].outcome, Outcome::kMiss);
  EXPECT_EQ(answers[2].count, 0U);
  EXPECT_EQ(writer.store.applied(), 1U);
  EXPECT_EQ(reader.store.applied(), 0U);
  const auto stats = ask_each(*store, request(Kind::kStat), far());
  ASSERT_EQ(stats.size(), 2U);
  EXPECT_EQ(stats[0].count, 0U);
  EXPECT_EQ(stats[1].count, 1U);
  const auto counted = store->statistics();
  ASSERT_EQ(counted.size(), 2U);
  EXPECT_EQ(counted[0].replies, 3U) << "CHECK, STAT, STAT";
  EXPECT_EQ(counted[1].replies, 2U) << "WRITE, STAT";
  MetricReport report;
  report_client("spam", counted, report);
  const MetricLabels reading = {{"rule", "spam"}, {"server", counted[0].server}};
  EXPECT_EQ(report.total("shingled_client_requests", reading), 3);
  EXPECT_EQ(report.total("shingled_client_replies", {{"rule", "spam"}}), 5);
  EXPECT_EQ(report.total("shingled_client_resting"), 0);
  EXPECT_GT(report.total("shingled_client_longest_seconds", reading), 0);
}

TEST(RemoteStore, AProbeBringsAServerBackBeforeAMessageWaitsForIt) {
  UdpPeer peer;
  testing::ManualClock clock;
  RemoteOptions options;
  options.servers.servers = {{spec_of(peer.address()), {}, 1}};
  options.errors_max = 1;
  options.revive_time = std::chrono::hours(1);
  auto store = std::move(RemoteStore::open(options, clock, system_random()).value());
  EXPECT_EQ(ask_one(*store, request(Kind::kCheck), clock.now()).outcome, Outcome::kTimeout);
  EXPECT_FALSE(store->statistics()[0].resting) << "nothing was sent";
  std::jthread server([&] {  // answers the second packet and every later one
    for (int i = 0; i < 2; ++i) {
      const auto packet = peer.receive();
      if (!packet) return;
      if (i == 0) {
        clock.advance(std::chrono::minutes(1));  // past every deadline
        continue;
      }
      const protocol::Command command = protocol::decode_command(*packet).value();
      EXPECT_EQ(command.code, protocol::CommandCode::kCheck);
      protocol::Reply reply;
      reply.tag = command.tag;
      Bytes out(protocol::size_of(protocol::ReplyForm::kV2));
      (void)protocol::encode_reply(reply, protocol::ReplyForm::kV2, out);
      peer.send(out, peer.from());
    }
  });
  EXPECT_EQ(ask_one(*store, request(Kind::kCheck), clock.now() + seconds(1)).outcome,
            Outcome::kTimeout);
  EXPECT_TRUE(store->statistics()[0].resting);
  store->probe();
  EXPECT_TRUE(store->statistics()[0].resting) << "too early for a probe";
  clock.advance(std::chrono::minutes(30));
  store->probe();
  EXPECT_FALSE(store->statistics()[0].resting);
}

/// A server that loses the first packets, answers twice and in reverse order, and sends forged
/// answers in between.
void play_tricks(UdpPeer& peer, std::size_t requests) {
  std::vector<Bytes> seen;
  std::vector<Bytes> dropped;
  SocketAddress client;
  while (seen.size() < requests) {
    const auto packet = peer.receive();
    if (!packet) return;
    client = peer.from();
    if (std::find(dropped.begin(), dropped.end(), *packet) == dropped.end()) {
      dropped.push_back(*packet);  // each is lost once
    } else if (std::find(seen.begin(), seen.end(), *packet) == seen.end()) {
      seen.push_back(*packet);
    }
  }
  std::reverse(seen.begin(), seen.end());
  for (const Bytes& packet : seen) {
    const protocol::Command command = protocol::decode_command(packet).value();
    protocol::Reply reply;
    reply.probability = 1;
    reply.value = command.digest.bytes[0];
    reply.flag = 1;
    Bytes out(protocol::size_of(protocol::ReplyForm::kV1));
    reply.tag = command.tag + 1;  // the tag of no question
    (void)protocol::encode_reply(reply, protocol::ReplyForm::kV1, out);
    peer.send(out, client);
    reply.tag = command.tag;
    (void)protocol::encode_reply(reply, protocol::ReplyForm::kV1, out);
    peer.send(BytesView(out).first(50), client);
    peer.send(out, client);
    reply.value = 99;  // a second answer changes nothing
    (void)protocol::encode_reply(reply, protocol::ReplyForm::kV1, out);
    peer.send(out, client);
  }
}

TEST(RemoteStore, GetsEachAnswerRightDespiteLossReorderingAndForgery) {
  UdpPeer peer;
  constexpr std::uint8_t kRequests = 10;
  std::jthread server([&] { play_tricks(peer, kRequests); });
  const auto store = open_store({spec_of(peer.address())}, std::nullopt, milliseconds(100));
  std::vector<RemoteRequest> requests;
  for (std::uint8_t i = 0; i < kRequests; ++i) {
    requests.push_back(request(Kind::kCheck, i));
  }
  const RemoteBatch batch{store.get(), requests};
  const auto answers = ask({&batch, 1}, far())[0];
  for (std::uint8_t i = 0; i < kRequests; ++i) {
    ASSERT_EQ(answers[i].outcome, Outcome::kHit);
    EXPECT_EQ(answers[i].match->flags[0].value, i);
  }
}

TEST(RemoteStore, StopsWaitingWhenStopIsRequested) {
  UdpPeer silent;
  const auto store = open_store({spec_of(silent.address())}, std::nullopt, seconds(3600));
  const RemoteRequest question = request(Kind::kCheck);
  const RemoteBatch batch{store.get(), {&question, 1}};
  std::stop_source source;
  std::jthread stopper([&] {
    if (silent.receive()) source.request_stop();
  });
  const TimePoint in_an_hour = system_clock().now() + seconds(3600);
  EXPECT_EQ(ask({&batch, 1}, in_an_hour, source.get_token())[0][0].outcome, Outcome::kTimeout);
  EXPECT_EQ(ask({&batch, 1}, in_an_hour, source.get_token())[0][0].outcome, Outcome::kTimeout);
  EXPECT_FALSE(silent.receive(milliseconds(0))) << "no question is sent";
}

}  // namespace
}  // namespace shingled::storage::client
