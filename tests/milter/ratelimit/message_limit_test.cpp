// Covers storage/buckets/embedded_buckets.cpp, milter/ratelimit/mail_limiter.cpp.

#include "milter/ratelimit/message_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/milter/ratelimit/limiter_fixture.h"

namespace shingled::milter::ratelimit {
namespace {

class MessageLimitTest : public LimiterFixture {
 protected:
  /// Plays steps, one per word, and returns the answers of the steps that can be deferred:
  ///
  ///   mail          begins another message (the previous one is given up)
  ///   NAME          a recipient: "-" = taken, else the full bucket
  ///   end keep back the end of the message; keep or give back its drops
  ///   +SECONDS      time passes
  std::vector<std::string> play(const std::shared_ptr<const MailLimiter>& limiter,
                                const std::string& steps) {
    std::vector<std::string> out;
    std::istringstream words(steps);
    std::optional<MessageLimit> message;
    for (std::string word; words >> word;) {
      if (word == "mail") {
        message.emplace(limiter, LimitedEnvelope{IpAddress::parse("192.0.2.1"), "bob",
                                                 parse_envelope_address("<s@x>")});
      } else if (word == "keep") {
        message->keep();
      } else if (word == "back") {
        message->give_back();
      } else if (word[0] == '+') {
        clock_.advance(std::chrono::seconds(std::stoi(word)));
      } else {
        const auto full = word == "end" ? message->end_of_message() : message->recipient(word);
        out.push_back(!full ? "-" : full->key + ' ' + wait_text(full->wait));
      }
    }
    return out;
  }
};

struct LimitCase {
  const char* why;
  const char* limits;
  const char* steps;
  std::vector<std::string> told;
  std::vector<std::pair<std::string, double>> drops;  ///< afterwards
};

TEST_F(MessageLimitTest, PlaysMessages) {
  const LimitCase cases[] = {
      {"the burst passes, the next is deferred until a drop has leaked, others pass",
       "rates: {to: [2, 0.1]}",
       "mail a end keep mail a end keep mail a b end keep +10 mail a end keep",
       {"-", "-", "-", "-", "to:a 10s", "-", "-", "-", "-"},
       {{"to:a", 2}, {"to:b", 0}}},
      {"a message that is given up gives its drops back",
       "rates: {to: [1, 0.1]}",
       "mail a b back mail a b back mail a end keep",
       {"-", "-", "-", "-", "-", "-"},
       {{"to:a", 1}, {"to:b", 0}}},
      {"one recipient named twice takes one drop",
       "rates: {to: [1, 0.1]}",
       "mail a a A <a> end keep",
       {"-", "-", "-", "-", "-"},
       {{"to:a", 1}}},
      {"a deferred recipient may ask again",
       "rates: {to: [1, 1]}",
       "mail a keep mail a +1 a keep",
       {"-", "to:a 1s", "-"},
       {{"to:a", 1}}},
      {"a login takes one drop per message, with the first recipient that passes",
       "rates: {to: [1, 0.1], user: [2, 0.1]}",
       "mail a b c end keep mail a b d end keep",
       {"-", "-", "-", "-", "to:a 10s", "to:b 10s", "-", "-"},
       {{"user:bob", 2}, {"to:d", 1}}},
      {"a full bucket of a login defers each recipient, and no recipient takes a drop",
       "rates: {to: [5, 0.1], user: [1, 0.1]}",
       "mail a end keep mail a b end keep",
       {"-", "-", "user:bob 10s", "user:bob 10s", "-"},
       {{"user:bob", 1}, {"to:a", 1}, {"to:b", 0}}},
      {"above max_rcpts only the first recipients count, and the login still counts",
       "rates: {to: [1, 0.1], user: [2, 0.1]}, max_rcpts: 2",
       "mail a b c d end keep mail a c end keep",
       {"-", "-", "-", "-", "-", "to:a 10s", "-", "-"},
       {{"to:a", 1}, {"to:b", 1}, {"to:c", 1}, {"to:d", 0}, {"user:bob", 2}}},
      {"a full bucket of a login defers every recipient, also above max_rcpts",
       "rates: {to: [9, 1], user: [1, 0.1]}, max_rcpts: 2",
       "mail a end keep mail a b c d end keep",
       {"-", "-", "user:bob 10s", "user:bob 10s", "user:bob 10s", "user:bob 10s", "-"},
       {{"to:a", 1}, {"to:b", 0}, {"user:bob", 1}}},
      {"above max_rcpts no recipient counts if so configured, but the login still counts",
       "rates: {to: [1, 0.1], user: [2, 0.1]}, max_rcpts: 2, above_max_rcpts: none",
       "mail a b c d a end keep mail a end keep mail e",
       {"-", "-", "-", "-", "-", "-", "-", "-", "user:bob 10s"},
       {{"to:a", 1}, {"to:b", 0}, {"to:c", 0}, {"user:bob", 2}}},
      {"then a full bucket of a login still defers every recipient",
       "rates: {to: [9, 1], user: [1, 0.1]}, max_rcpts: 2, above_max_rcpts: none",
       "mail a end keep mail a b c d end keep",
       {"-", "-", "user:bob 10s", "user:bob 10s", "user:bob 10s", "user:bob 10s", "-"},
       {{"to:a", 1}, {"user:bob", 1}}},
      {"such a message gives its drops back",
       "rates: {to: [1, 0.1], user: [1, 0.1]}, max_rcpts: 2, above_max_rcpts: none",
       "mail a b c end back",
       {"-", "-", "-", "-"},
       {{"to:a", 0}, {"user:bob", 0}}},
      {"a repeated recipient does not count for max_rcpts",
       "rates: {to: [1, 0.1]}, max_rcpts: 2",
       "mail a b a b A end keep mail a",
       {"-", "-", "-", "-", "-", "-", "to:a 10s"},
       {{"to:a", 1}}},
      {"deferred recipients do not use up max_rcpts",
       "rates: {to: [1, 0.1]}, max_rcpts: 2",
       "mail a b end keep mail c keep mail a b c d",
       {"-", "-", "-", "-", "to:a 10s", "to:b 10s", "to:c 10s", "-"},
       {{"to:c", 1}, {"to:d", 1}}},
      {"recipients that are never limited do not use up max_rcpts, at the end as well",
       "rates: {to: [1, 0.1]}, max_rcpts: 2, when: end_of_message, whitelisted_rcpts: [p]",
       "mail p@a p@b p@c v end keep mail p@d p@e p@f v end",
       {"-", "-", "-", "-", "-", "-", "-", "-", "-", "to:v 10s"},
       {{"to:v", 1}}},
      {"nor do they switch off all with above_max_rcpts: none",
       "rates: {to: [1, 0.1]}, max_rcpts: 2, above_max_rcpts: none, whitelisted_rcpts: [p]",
       "mail v keep mail p@a p@b p@c v",
       {"-", "-", "-", "-", "to:v 10s"},
       {{"to:v", 1}}},
      {"every recipient of a user counts, also above max_rcpts and each tag",
       "rates: {user_rcpts: [4, 0.1]}, max_rcpts: 2",
       "mail a+1 a+2 a+2 c end keep mail d e",
       {"-", "-", "-", "-", "-", "-", "user_rcpts:bob 10s"},
       {{"user_rcpts:bob", 4}}},
      {"they are given back",
       "rates: {user_rcpts: [4, 0.1]}, max_rcpts: 2, above_max_rcpts: none",
       "mail a b c d back",
       {"-", "-", "-", "-"},
       {{"user_rcpts:bob", 0}}},
      {"at the end: all recipients of a user together",
       "rates: {user_rcpts: [4, 0.1]}, max_rcpts: 2, when: end_of_message",
       "mail a b c end keep mail d e end back",
       {"-", "-", "-", "-", "-", "-", "user_rcpts:bob 10s"},
       {{"user_rcpts:bob", 3}}},
      {"each of several rates limits",
       "rates: {user: [[1, 1], [2, 0.01]]}",
       "mail a keep mail a +1 a keep +1 mail a",
       {"-", "user:bob 1s", "-", "user:bob:#2 1m38s"},
       {{"user:bob", 0}}},
      {"a recipient on the list takes nothing, and its message takes nothing",
       "rates: {to: [1, 0.1], user: [1, 0.1]}, whitelisted_rcpts: [a, b@x, '@y']",
       "mail a A@z b@x q@y end keep mail b",
       {"-", "-", "-", "-", "-", "-"},
       {{"user:bob", 1}, {"to:b", 1}, {"to:a", 0}}},
      {"drops that have leaked are not given back again",
       "rates: {to: [2, 1]}",
       "mail a +1 back mail a a keep mail a end keep",
       {"-", "-", "-", "-", "-"},
       {{"to:a", 2}}},
      {"at the end: all or none",
       "rates: {to: [1, 0.1]}, when: end_of_message",
       "mail a end keep mail a b end back mail b end keep",
       {"-", "-", "-", "-", "to:a 10s", "-", "-"},
       {{"to:a", 1}, {"to:b", 1}}},
      {"at the end: several recipients with one bucket",
       "rates: {to_domain: [3, 0.1]}, when: end_of_message",
       "mail a@x b@x end keep mail c@x d@x end back mail e@x end keep",
       {"-", "-", "-", "-", "-", "to_domain:x 10s", "-", "-"},
       {{"to_domain:x", 3}}},
      {"at the end: more drops than a bucket can hold pass if it is empty, and fill it",
       "rates: {to_domain: [2, 0.1]}, when: end_of_message",
       "mail a@x b@x c@x end keep mail a@x end back +10 mail a@x b@x c@x end back"
       " +10 mail a@x b@x c@x end keep",
       {"-", "-", "-", "-", "-", "to_domain:x 10s", "-", "-", "-", "to_domain:x 10s", "-", "-", "-",
        "-"},
       {{"to_domain:x", 2}}},
      {"at the end: such a message gives its drops back",
       "rates: {to_domain: [2.5, 0.1]}, when: end_of_message",
       "mail a@x b@x c@x end back",
       {"-", "-", "-", "-"},
       {{"to_domain:x", 0}}},
      {"at the end: above max_rcpts only the first recipients count, and the login still counts",
       "rates: {to: [1, 0.1], user: [1, 0.1]}, when: end_of_message, max_rcpts: 2",
       "mail a b c end keep",
       {"-", "-", "-", "-"},
       {{"to:a", 1}, {"to:b", 1}, {"to:c", 0}, {"user:bob", 1}}},
      {"at the end: or no recipient counts, but the login does",
       "rates: {to: [1, 0.1], user: [1, 0.1]}, when: end_of_message, max_rcpts: 2, "
       "above_max_rcpts: none",
       "mail a b c end keep mail d e f end back",
       {"-", "-", "-", "-", "-", "-", "-", "user:bob 10s"},
       {{"to:a", 0}, {"to:b", 0}, {"user:bob", 1}}},
      {"a second end takes nothing",
       "rates: {to: [5, 0.1]}, when: end_of_message",
       "mail a end end keep",
       {"-", "-", "-"},
       {{"to:a", 1}}},
  };
  for (const LimitCase& test : cases) {
    SCOPED_TRACE(test.why);
    store_ = std::make_shared<storage::buckets::EmbeddedBuckets>(1000, clock_, random_);
    EXPECT_EQ(play(limiter(test.limits), test.steps), test.told);
    for (const auto& [key, expected] : test.drops) EXPECT_NEAR(drops(key), expected, 1e-6) << key;
  }
}

TEST_F(MessageLimitTest, MarksInsteadOfDeferring) {
  const auto marking = limiter("rates: {to: [2, 0.1]}, symbol: RATELIMIT");
  const auto value_after = [&] {
    MessageLimit message(marking, {IpAddress::parse("192.0.2.1"), "", {}});
    EXPECT_FALSE(message.recipient("<a@b>"));
    EXPECT_FALSE(message.end_of_message());
    message.keep();
    return message.mark() ? message.mark()->value : 0;
  };
  EXPECT_EQ(value_after(), 0) << "the first drop of two";
  EXPECT_EQ(value_after(), 0) << "the bucket is full, but not above its burst";
  EXPECT_NEAR(value_after(), 2 * std::tanh(3 / 4.0), 1e-9);
  for (int i = 0; i < 12; ++i) EXPECT_GT(value_after(), 1.26);
  EXPECT_NEAR(drops("to:a@b"), 15, 1e-6);
  value_after();
  EXPECT_NEAR(value_after(), 2 * std::tanh(4), 1e-9) << "a bucket holds at most eight bursts";
  EXPECT_NEAR(drops("to:a@b"), 16, 1e-6);
  MetricReport report;
  counters_.report(report);
  EXPECT_EQ(report.total("shingled_ratelimit_drops", {{"event", "marked"}}), 15);
  EXPECT_EQ(report.total("shingled_ratelimit_drops", {{"event", "refused"}}), 0);
}

TEST_F(MessageLimitTest, MarksAMessageWithMoreDropsThanABucketCanHold) {
  const auto marking = limiter("rates: {to_domain: [1, 0.1]}, symbol: RATELIMIT, max_rcpts: 20");
  for (const bool empty : {true, false}) {
    MessageLimit message(marking, {IpAddress::parse("192.0.2.1"), "", {}});
    for (int i = 0; i < 12; ++i) EXPECT_FALSE(message.recipient("<r" + std::to_string(i) + "@x>"));
    EXPECT_FALSE(message.end_of_message());
    ASSERT_TRUE(message.mark()) << empty;
    EXPECT_NEAR(message.mark()->value, 2 * std::tanh(4), 1e-9) << empty;
    message.keep();
  }
}

TEST_F(MessageLimitTest, ABucketReportsItsBurstEvenIfItMayOverflow) {
  const auto marking = limiter("rates: {to: [2, 0.1]}, symbol: RATELIMIT");
  for (int i = 0; i < 5; ++i) {
    MessageLimit message(marking, {IpAddress::parse("192.0.2.1"), "", {}});
    EXPECT_FALSE(message.recipient("<a@b>"));
    EXPECT_FALSE(message.end_of_message());
    message.keep();
  }
  const auto state = store_->show("to:a@b", clock_.now()).value();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->rate, LeakRate(0.1, 2));
  EXPECT_NEAR(state->drops(), 5, 1e-6);
}

TEST_F(MessageLimitTest, ReportsAndCountsMailThatALogOnlyLimitWouldDefer) {
  const auto telling = limiter("rates: {to: [1, 0.1], user: [9, 1]}, log_only: yes");
  for (const bool fits : {true, false}) {
    MessageLimit message(telling, {IpAddress::parse("192.0.2.1"), "bob", {}});
    const auto full = message.recipient("<a@b>");
    ASSERT_EQ(full.has_value(), !fits);
    if (full) {
      EXPECT_FALSE(full->enforced);
      EXPECT_EQ(full->type, "to");
      EXPECT_NEAR(full->drops, 1, 1e-6);
      EXPECT_EQ(full->burst, 1);
    }
    message.keep();
  }
  MessageLimit given_up(telling, {IpAddress::parse("192.0.2.1"), "", {}});
  given_up.recipient("<c@d>");
  given_up.give_back();
  MetricReport report;
  counters_.report(report);
  const auto total = [&](const char* type, const char* event) {
    return report.total("shingled_ratelimit_drops", {{"type", type}, {"event", event}});
  };
  EXPECT_EQ(total("to", "taken"), 2);
  EXPECT_EQ(total("to", "refused"), 1);
  EXPECT_EQ(total("to", "given_back"), 1);
  EXPECT_EQ(total("user", "taken"), 1);
}

TEST_F(MessageLimitTest, LimitsNothingAfterTheBucketsAreReleased) {
  const auto limits = limiter("rates: {to: [1, 0.1]}");
  MessageLimit message(limits, {IpAddress::parse("192.0.2.1"), "", {}});
  EXPECT_FALSE(message.recipient("<a@b>"));
  store_.reset();
  EXPECT_FALSE(message.recipient("<c@d>"));
  message.give_back();
  EXPECT_FALSE(message.end_of_message());
}

TEST_F(MessageLimitTest, DoesNotLimitClientsOnTheList) {
  const auto limits = limiter("rates: {to: [1, 1]}, whitelisted_ip: 192.0.2.0/24");
  EXPECT_FALSE(limits->limits(IpAddress::parse("192.0.2.9")));
  EXPECT_TRUE(limits->limits(IpAddress::parse("198.51.100.1")));
  EXPECT_TRUE(limits->limits(std::nullopt))
      << "a local pipe has no address that could be on a list";
  EXPECT_FALSE(limiter("rates: {}")->limits(std::nullopt));
}

TEST(FullBucket, TellsWhenToTryAgain) {
  EXPECT_EQ(wait_text(Duration::max()), "never");
  EXPECT_EQ(wait_text(Duration{}), "0s");
  EXPECT_EQ(wait_text(std::chrono::milliseconds(1)), "1s");
  EXPECT_EQ(wait_text(std::chrono::seconds(3661)), "1h1m1s");
  const FullBucket full{"to", "to:a@b", 2.25, 2, std::chrono::seconds(9), true};
  EXPECT_EQ(describe(full), "bucket to:a@b holds 2.2 of 2, again in 9s");
  EXPECT_EQ(limit_findings(LimitMark{"RL", 1.5, full}).evidence.at(0).explanation().header,
            "RL; type=to drops=2.2 burst=2 again=9s");
}

TEST(LimitEvidence, ShowsTheKeyOfTheBucketOnlyInTheLog) {
  const LimitMark mark = {
      "RATELIMIT", 1.0, {"to", "to:a@b", 6, 5, std::chrono::seconds(30), /*enforced=*/false}};
  const rules::Findings findings = limit_findings(mark);
  ASSERT_EQ(findings.evidence.size(), 1U);
  EXPECT_EQ(findings.evidence[0].symbol, "RATELIMIT");
  EXPECT_EQ(findings.evidence[0].score, 1.0);
  const rules::Explanation explanation = findings.evidence[0].explanation();
  EXPECT_EQ(explanation.log, "bucket to:a@b holds 6.0 of 5, again in 30s");
  EXPECT_EQ(explanation.header, "RATELIMIT; type=to drops=6.0 burst=5 again=30s");
  EXPECT_EQ(explanation.arithmetic, "2 tanh(6.0 / (2 x 5)) = 1.00");
  for (const rules::Detail& detail : explanation.details) {
    const auto* text = std::get_if<std::string>(&detail.value);
    EXPECT_TRUE(text == nullptr || text->find("a@b") == std::string::npos) << detail.name;
  }
}

TEST(LimitEvidence, IsEmptyWithoutAFullBucket) {
  EXPECT_TRUE(limit_findings(std::nullopt).evidence.empty());
}

}  // namespace
}  // namespace shingled::milter::ratelimit
