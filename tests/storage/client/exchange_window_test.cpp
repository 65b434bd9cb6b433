#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "tests/storage/client/exchange_fixture.h"

namespace shingled::storage::client {
namespace {

using std::chrono::milliseconds;
using Kind = RemoteRequest::Kind;
using Outcome = RemoteAnswer::Outcome;

constexpr std::size_t kMany = 1000;

SocketAddress address(std::uint16_t port) { return {*IpAddress::parse("192.0.2.1"), port}; }

/// Requests with different digests.
std::vector<RemoteRequest> requests(Kind kind, std::size_t count = kMany) {
  std::vector<RemoteRequest> out(count, request(kind));
  for (std::size_t i = 0; i < count; ++i) {
    out[i].fingerprint.digest.bytes[0] = static_cast<std::uint8_t>(i);
    out[i].fingerprint.digest.bytes[1] = static_cast<std::uint8_t>(i >> 8U);
  }
  return out;
}

std::size_t number_of(const Digest& digest) {
  return std::size_t{digest.bytes[0]} | std::size_t{digest.bytes[1]} << 8U;
}

class ExchangeWindowTest : public ExchangeTest {
 protected:
  std::size_t count(Outcome outcome) {
    const auto answers = exchange_->answers();
    return static_cast<std::size_t>(
        std::count_if(answers.begin(), answers.end(),
                      [&](const RemoteAnswer& answer) { return answer.outcome == outcome; }));
  }
  /// Advances the clock until the exchange is due.
  void wait() {
    if (!exchange_->done() && exchange_->due() > clock_.now())
      clock_.advance(exchange_->due() - clock_.now());
  }
};

TEST_F(ExchangeWindowTest, AsksInOrderAndAtMostAWindowAtOnce) {
  use({{address(1)}});
  begin(requests(Kind::kCheck));
  std::deque<Sent> open;
  std::size_t asked = 0;
  std::size_t most = 0;
  while (!exchange_->done()) {
    for (Sent& sent : send()) {
      EXPECT_EQ(number_of(sent.command.digest), asked++);
      open.push_back(std::move(sent));
    }
    if (most == 0) {
      EXPECT_EQ(open.size(), SendWindow::kFirst);
    }
    most = std::max(most, open.size());
    ASSERT_FALSE(open.empty());
    answer(open.front(), protocol::ReplyForm::kV2);
    open.pop_front();
  }
  EXPECT_EQ(asked, kMany);
  EXPECT_EQ(most, SendWindow::kMax);
  EXPECT_EQ(count(Outcome::kHit), kMany);
}

TEST_F(ExchangeWindowTest, ManyQuestionsToASilentServerTakeNoLongerThanOne) {
  for (const Kind kind : {Kind::kCheck, Kind::kAdd}) {
    std::map<std::size_t, Duration> took;
    for (const std::size_t questions : {std::size_t{1}, kMany}) {
      use({{address(1)}});
      begin(requests(kind, questions));
      const TimePoint start = clock_.now();
      while (!exchange_->done()) {
        (void)send();
        wait();
      }
      took[questions] = clock_.now() - start;
      EXPECT_EQ(count(Outcome::kTimeout), questions);
    }
    EXPECT_EQ(took[1], took[kMany]);
  }
}

TEST_F(ExchangeWindowTest, QuestionsThatHaveNotBegunSkipASilentServer) {
  use({{address(1)}, {address(2)}});
  begin(requests(Kind::kCheck));
  const TimePoint start = clock_.now();
  std::size_t to_the_first = 0;
  while (!exchange_->done()) {
    for (const Sent& sent : send()) {
      if (sent.endpoint == 0) {
        ++to_the_first;
      } else {
        answer(sent, protocol::ReplyForm::kV2);
      }
    }
    wait();
  }
  EXPECT_EQ(count(Outcome::kHit), kMany);
  EXPECT_LE(to_the_first, 3 * SendWindow::kFirst) << "the first window, repeated";
  EXPECT_LE(clock_.now() - start, 2 * kTimeout + milliseconds(250));
}

TEST_F(ExchangeWindowTest, QuestionsThatHaveNotBegunEndIfTheServerIsUnreachable) {
  use({{address(1)}});
  begin(requests(Kind::kCheck));
  const std::size_t first = send().size();
  exchange_->unreachable(0, "Connection refused", clock_.now());
  EXPECT_TRUE(send().empty());
  ASSERT_TRUE(exchange_->done());
  EXPECT_EQ(first, SendWindow::kFirst);
  EXPECT_EQ(count(Outcome::kUnreachable), kMany);
  EXPECT_EQ(exchange_->answers().back().error, "Connection refused");
}

TEST_F(ExchangeWindowTest, AServerThatAnswersSomeQuestionsIsStillAsked) {
  use({{address(1)}});
  service_->upstreams()->learn(0, WireVersion::kFlags, clock_.now());
  begin(requests(Kind::kCheck));
  const auto swallowed = [](const Sent& sent) { return number_of(sent.command.digest) % 4 == 0; };
  while (!exchange_->done()) {
    for (const Sent& sent : send()) {
      if (!swallowed(sent)) answer(sent, protocol::ReplyForm::kV2);
    }
    clock_.advance(milliseconds(100));
  }
  EXPECT_EQ(count(Outcome::kTimeout), kMany / 4);
  EXPECT_EQ(count(Outcome::kHit), kMany - kMany / 4);
}

TEST_F(ExchangeWindowTest, AtTheDeadlineQuestionsThatHaveNotBegunTimeOut) {
  use({{address(1)}});
  begin(requests(Kind::kCheck));
  answer(send()[0], protocol::ReplyForm::kV2);
  exchange_->give_up(clock_.now());
  EXPECT_TRUE(exchange_->done());
  EXPECT_TRUE(send().empty());
  EXPECT_EQ(count(Outcome::kHit), 1U);
  EXPECT_EQ(count(Outcome::kTimeout), kMany - 1);
}

TEST_F(ExchangeWindowTest, AnUpdateIsMadeAtEveryServerThatAnswers) {
  use({{address(1)}, {address(2)}});
  begin(requests(Kind::kAdd));
  std::map<std::size_t, std::size_t> made;  // by endpoint
  while (!exchange_->done()) {
    for (const Sent& sent : send()) {
      if (sent.endpoint == 1) continue;
      ++made[sent.endpoint];
      answer(sent, protocol::ReplyForm::kV1);
    }
    wait();
  }
  EXPECT_EQ(made[0], kMany);
  EXPECT_EQ(count(Outcome::kTimeout), kMany) << "the worst answer of both";
}

/// With any losses and delays, every question ends with its own answer or as unknown, and there are
/// never more packets under way than the window allows.
TEST_F(ExchangeWindowTest, LossesAndDelaysNeverGiveAWrongAnswer) {
  constexpr unsigned kLostPercent = 20;
  use({{address(1)}, {address(2)}});
  begin(requests(Kind::kCheck));
  testing::SeededRandom chance(7);
  const TimePoint deadline = clock_.now() + milliseconds(60'000);
  std::multimap<TimePoint, Sent> coming;
  while (!exchange_->done() && clock_.now() < deadline) {
    for (Sent& sent : send()) {
      if (chance.next_u64() % 100 < kLostPercent) continue;
      coming.emplace(clock_.now() + milliseconds(chance.next_u64() % 400), std::move(sent));
    }
    while (!coming.empty() && coming.begin()->first <= clock_.now()) {
      const protocol::Command& command = coming.begin()->second.command;
      protocol::Reply reply;
      reply.tag = command.tag;
      reply.probability = 1;
      reply.value = static_cast<std::int32_t>(number_of(command.digest)) + 1;
      reply.flag = 50;
      Bytes packet(protocol::kReplyBytesMax);
      packet.resize(protocol::encode_reply(reply, protocol::ReplyForm::kV2, packet));
      exchange_->receive(coming.begin()->second.endpoint, packet, clock_.now());
      coming.erase(coming.begin());
    }
    clock_.advance(milliseconds(1));
  }
  EXPECT_TRUE(exchange_->done());
  const auto answers = exchange_->answers();
  std::size_t known = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    if (answers[i].outcome != Outcome::kHit) continue;
    ++known;
    EXPECT_EQ(answers[i].match->flags[0].value, static_cast<std::int32_t>(i) + 1);
  }
  EXPECT_GT(known, kMany * 95 / 100);
}

}  // namespace
}  // namespace shingled::storage::client
