#include "milter/judge/tried_message.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "milter/policy/compile_rules.h"
#include "milter/policy/parse_condition.h"
#include "milter/policy/policy_evidence.h"
#include "tests/support/fake_store.h"

namespace shingled::milter::judge {
namespace {

constexpr const char* kMail =
    "From: a@example.org\r\nSubject: hi\r\nX-Shingled-Score: 99\r\n\r\n"
    "Please look at our wonderful catalogue of garden furniture, ladders, hoses, lamps and "
    "fountains before everything has gone. Our carpenters build each bench by hand from oak.\r\n";

class TriedMessageTest : public ::testing::Test {
 protected:
  void open(Settings settings = {}) {
    policy::Rule rule;
    rule.name = "ANY";
    rule.condition = std::get<policy::Condition>(policy::parse_condition("words > 1"));
    rule.score = 1;
    auto compiled = policy::compile_rules({rule}, {});
    ASSERT_TRUE(compiled);
    auto policy = std::make_shared<const policy::Policy>(
        *std::move(compiled), std::vector<std::shared_ptr<EventCount>>{fired_});
    auto scanner = Scanner::open(std::make_shared<const Settings>(std::move(settings)), &store_,
                                 clock_, random_, nullptr, ServerNames::kNow, std::move(policy));
    ASSERT_TRUE(scanner);
    snapshot_.scanner = *std::move(scanner);
  }

  shingled::testing::FakeStore store_;
  SystemClock clock_;
  SystemRandom random_;
  std::shared_ptr<EventCount> fired_ = std::make_shared<EventCount>();
  Snapshot snapshot_;
};

TEST_F(TriedMessageTest, JudgesAsMailButCountsNothing) {
  store_.knows_all = storage::FlagValue{11, 20};
  open();
  const TriedVerdict tried = try_message(snapshot_, {.bytes = kMail});
  EXPECT_EQ(tried.decision.verdict.action, rules::Action::kReject);
  EXPECT_GT(tried.decision.verdict.score, 10);
  EXPECT_EQ(fired_->read(), 0U);
  static_cast<void>(snapshot_.scanner->scan({.bytes = kMail}));
  EXPECT_EQ(fired_->read(), 1U) << "that of mail is counted";
}

TEST_F(TriedMessageTest, RemovesForgedHeaders) {
  open();
  const TriedVerdict tried = try_message(snapshot_, {.bytes = kMail});
  ASSERT_FALSE(tried.decision.edits.empty());
  EXPECT_EQ(tried.decision.edits.front().kind, actions::HeaderEdit::Kind::kRemove);
}

TEST_F(TriedMessageTest, LooksAtNoMoreThanOfMail) {
  Settings settings;
  settings.milter.message_bytes_max = 100;
  open(std::move(settings));
  const TriedVerdict tried = try_message(snapshot_, {.bytes = kMail});
  EXPECT_TRUE(tried.facts.truncated);
  EXPECT_EQ(tried.facts.bytes, 100U);
}

TEST_F(TriedMessageTest, SaysWhatPassesUnchecked) {
  Settings settings;
  settings.milter.skip_authenticated = true;
  open(std::move(settings));
  counters::Envelope envelope;
  EXPECT_EQ(try_message(snapshot_, {.bytes = kMail, .envelope = envelope}).unchecked, "");
  envelope.user = "ann";
  EXPECT_EQ(try_message(snapshot_, {.bytes = kMail, .envelope = envelope}).unchecked,
            "milter.skip_authenticated");
}

TEST_F(TriedMessageTest, AStopEndsIt) {
  open();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(try_message(snapshot_, {.bytes = kMail, .stop = stop.get_token()}).facts.stopped);
}

}  // namespace
}  // namespace shingled::milter::judge
