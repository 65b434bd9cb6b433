#include <gtest/gtest.h>

#include "storage/client/remote_store.h"
#include "tests/storage/client/faulty_server.h"
#include "tests/support/manual_clock.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Outcome = RemoteAnswer::Outcome;

enum class Way : std::uint8_t { kUdp, kTcp };

struct Case {
  const char* why;
  Fault fault;
  TcpUse tcp;
  Way way;  // the transport of the answers
};

constexpr std::uint8_t kQuestions = 8;

/// Tries several ports: one that is free for UDP may be in use for TCP.
std::unique_ptr<FaultyServer> start_server(Fault fault) {
  for (int i = 0; i < 20; ++i) {
    auto server = std::make_unique<FaultyServer>(fault, kQuestions);
    if (server->ok()) return server;
  }
  return nullptr;
}

std::vector<RemoteRequest> questions() {
  std::vector<RemoteRequest> out(kQuestions);
  for (std::uint8_t i = 0; i < kQuestions; ++i)
    out[i].fingerprint.digest.bytes.fill(static_cast<std::uint8_t>(i + 1));
  return out;
}

/// With any fault each question gets its own answer, and gets it soon.
TEST(ClientFaults, EachQuestionGetsItsAnswer) {
  constexpr Case kCases[] = {
      {"nothing is wrong", Fault::kNone, TcpUse::kNo, Way::kUdp},
      {"the first copy of each packet is lost", Fault::kLost, TcpUse::kNo, Way::kUdp},
      {"the first answer comes with the second", Fault::kLate, TcpUse::kNo, Way::kUdp},
      {"answers come three times", Fault::kDoubled, TcpUse::kNo, Way::kUdp},
      {"an answer to another tag comes first", Fault::kWrongTag, TcpUse::kNo, Way::kUdp},
      {"an answer from another address comes first", Fault::kWrongAddress, TcpUse::kNo, Way::kUdp},
      {"garbage comes first", Fault::kGarbage, TcpUse::kNo, Way::kUdp},
      {"nothing is wrong", Fault::kNone, TcpUse::kYes, Way::kTcp},
      {"answers in pieces", Fault::kPieces, TcpUse::kYes, Way::kTcp},
      {"answers in another order", Fault::kBackwards, TcpUse::kYes, Way::kTcp},
      {"a server without TCP", Fault::kRefused, TcpUse::kYes, Way::kUdp},
      {"a connection without answers", Fault::kMute, TcpUse::kYes, Way::kUdp},
      {"closed at once", Fault::kCloses, TcpUse::kYes, Way::kUdp},
      {"half-closed before the answer", Fault::kHalfCloses, TcpUse::kYes, Way::kUdp},
      {"torn down before the answer", Fault::kResets, TcpUse::kYes, Way::kUdp},
      {"an empty frame", Fault::kEmptyFrame, TcpUse::kYes, Way::kUdp},
      {"a frame longer than a reply", Fault::kLongFrame, TcpUse::kYes, Way::kUdp},
      {"a frame that answers no question", Fault::kForgedFrame, TcpUse::kYes, Way::kUdp},
      {"too few questions for a connection", Fault::kNone, TcpUse::kAuto, Way::kUdp},
  };
  SystemClock system;
  testing::ManualClock still;  // with it nothing is repeated, so no repeat hides a lost frame
  SystemRandom random;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.why);
    const auto started = start_server(c.fault);
    ASSERT_TRUE(started);
    FaultyServer& server = *started;
    Clock& clock = c.way == Way::kTcp ? static_cast<Clock&>(still) : system;
    RemoteOptions options;
    options.servers.servers = {*ServerSpec::parse(server.address().to_string())};
    options.timeout = milliseconds(400);
    options.retransmits = 10;
    options.tcp = c.tcp;
    options.tcp_threshold = 1000;
    const auto store = std::move(RemoteStore::open(options, clock, random).value());
    const auto requests = questions();
    const RemoteBatch batch{store.get(), requests};
    for (int round = 0; round < 3; ++round) {
      const auto answers = ask({&batch, 1}, clock.now() + seconds(60))[0];
      for (std::uint8_t i = 0; i < kQuestions; ++i) {
        ASSERT_EQ(answers[i].outcome, Outcome::kHit) << round;
        EXPECT_EQ(answers[i].match->flags[0].value, i + 1) << round;
      }
    }
    const ServerStatistics counted = store->statistics()[0];
    EXPECT_EQ(counted.requests, 3U * kQuestions);
    EXPECT_EQ(counted.replies, 3U * kQuestions);
    EXPECT_EQ(counted.timeouts, 0U);
    EXPECT_FALSE(counted.resting);
    EXPECT_EQ(server.datagrams() > 0, c.way == Way::kUdp);
    EXPECT_EQ(counted.over_tcp, c.way == Way::kTcp ? 3U * kQuestions : 0U);
  }
}

/// More questions than fit into any window or socket buffer.
TEST(ClientFaults, EachOfManyQuestionsGetsItsAnswer) {
  constexpr Case kCases[] = {
      {"nothing is wrong", Fault::kNone, TcpUse::kNo, Way::kUdp},
      {"the first copy of each packet is lost", Fault::kLost, TcpUse::kNo, Way::kUdp},
      {"answers come three times", Fault::kDoubled, TcpUse::kNo, Way::kUdp},
      {"a server with a tiny buffer", Fault::kTinyBuffer, TcpUse::kNo, Way::kUdp},
      {"nothing is wrong", Fault::kNone, TcpUse::kYes, Way::kTcp},
      {"torn down before the answer", Fault::kResets, TcpUse::kYes, Way::kUdp},
  };
  constexpr std::size_t kMany = 1000;
  SystemClock clock;
  SystemRandom random;
  std::vector<RemoteRequest> requests(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    random.fill(requests[i].fingerprint.digest.bytes);
    requests[i].fingerprint.digest.bytes[0] = static_cast<std::uint8_t>(i % 90 + 1);
  }
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.why);
    const auto server = start_server(c.fault);
    ASSERT_TRUE(server);
    RemoteOptions options;
    options.servers.servers = {*ServerSpec::parse(server->address().to_string())};
    options.timeout = milliseconds(20);
    options.retransmits = 1000;  // a server that gets no processor for a while is no fault here
    options.tcp = c.tcp;
    const auto store = std::move(RemoteStore::open(options, clock, random).value());
    const RemoteBatch batch{store.get(), requests};
    const auto answers = ask({&batch, 1}, clock.now() + seconds(60))[0];
    for (std::size_t i = 0; i < kMany; ++i) {
      ASSERT_EQ(answers[i].outcome, Outcome::kHit) << i;
      EXPECT_EQ(answers[i].match->flags[0].value, static_cast<std::int32_t>(i % 90 + 1));
    }
    EXPECT_EQ(store->statistics()[0].over_tcp > 0, c.way == Way::kTcp);
  }
}

/// The server's side of one question, and the clock of a thread that gets no processor: at the
/// first look after the question was sent, the answer is there and an hour has passed.
class LateThread final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override {
    if (const auto packet = server_.receive(milliseconds(0))) {
      const protocol::Command command = protocol::decode_command(*packet).value();
      server_.send(FaultyServer::answer_to(command, 7), server_.from());
      still_.advance(std::chrono::hours(1));
    }
    return still_.now();
  }
  [[nodiscard]] WallTime wall() const override { return still_.wall(); }
  [[nodiscard]] const SocketAddress& address() const { return server_.address(); }

 private:
  mutable testing::UdpPeer server_;
  mutable testing::ManualClock still_;
};

TEST(ClientFaults, AnAnswerThatHasComeCountsHoweverLateItIsRead) {
  for (const bool is_at_deadline : {false, true}) {
    SCOPED_TRACE(is_at_deadline ? "the deadline is over" : "the last repeat is over");
    LateThread late;
    SystemRandom random;
    RemoteOptions options;
    options.servers.servers = {*ServerSpec::parse(late.address().to_string())};
    options.timeout = is_at_deadline ? milliseconds(seconds(60)) : milliseconds(10);
    options.retransmits = 0;
    options.tcp = TcpUse::kNo;
    options.protocol = protocol::kVersionLongV2;
    const auto store = std::move(RemoteStore::open(options, late, random).value());
    const auto requests = questions();
    const RemoteBatch batch{store.get(), std::span(requests).first(1)};
    const Duration allowed = is_at_deadline ? Duration(milliseconds(10)) : std::chrono::hours(2);
    const RemoteAnswer answer = ask({&batch, 1}, late.now() + allowed)[0][0];
    ASSERT_EQ(answer.outcome, Outcome::kHit);
    EXPECT_EQ(answer.match->flags[0].value, 7);
  }
}

TEST(ClientFaults, AConnectionThatTheNetworkForgotIsReplacedOnce) {
  for (const Fault fault : {Fault::kForgets, Fault::kForgetsMutely}) {
    SystemClock clock;
    SystemRandom random;
    const auto started = start_server(fault);
    ASSERT_TRUE(started);
    FaultyServer& server = *started;
    RemoteOptions options;
    options.servers.servers = {*ServerSpec::parse(server.address().to_string())};
    options.protocol = protocol::kVersionLong;
    options.tcp = TcpUse::kYes;
    options.timeout = std::chrono::milliseconds(300);
    options.tcp_retry_delay = std::chrono::hours(1);
    const auto store = std::move(RemoteStore::open(options, clock, random).value());
    const auto requests = questions();
    const RemoteBatch batch{store.get(), std::span(requests).first(1)};
    constexpr int kRounds = 4;
    for (int round = 0; round < kRounds; ++round)
      EXPECT_EQ(ask({&batch, 1}, clock.now() + seconds(60))[0][0].outcome, Outcome::kHit);
    EXPECT_EQ(store->statistics()[0].over_tcp, kRounds) << static_cast<int>(fault);
    EXPECT_EQ(server.connections(), kRounds);
    EXPECT_EQ(server.datagrams(), 0) << "UDP may be closed there";
  }
}

TEST(ClientFaults, AfterABrokenConnectionTcpIsTriedAgainLater) {
  SystemClock clock;
  SystemRandom random;
  const auto started = start_server(Fault::kResets);
  ASSERT_TRUE(started);
  FaultyServer& server = *started;
  RemoteOptions options;
  options.servers.servers = {*ServerSpec::parse(server.address().to_string())};
  options.tcp = TcpUse::kYes;
  options.tcp_retry_delay = std::chrono::hours(1);
  const auto store = std::move(RemoteStore::open(options, clock, random).value());
  const auto requests = questions();
  const RemoteBatch batch{store.get(), std::span(requests).first(1)};
  for (int round = 0; round < 3; ++round)
    EXPECT_EQ(ask({&batch, 1}, clock.now() + seconds(60))[0][0].outcome, Outcome::kHit);
  EXPECT_EQ(store->statistics()[0].over_tcp, 0U);
  EXPECT_EQ(server.connections(), 1) << "one attempt per delay, not one per question";
}

}  // namespace
}  // namespace shingled::storage::client
