// Sessions with rate limits: the answers to the client, and when drops stay or are given back.
#include <gmock/gmock.h>

#include <sstream>

#include "milter/mta/session.h"
#include "tests/milter/actions/recording_mta.h"
#include "tests/milter/mta/in_force.h"
#include "tests/milter/ratelimit/limiter_fixture.h"
#include "tests/support/fake_store.h"

namespace shingled::milter::mta {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class InfoLogger final : public Logger {
 public:
  void write(LogLevel level, std::string_view line) override {
    if (level == LogLevel::kInfo) lines.emplace_back(line);
  }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::vector<std::string> lines;
};

class SessionLimitTest : public ratelimit::LimiterFixture {
 protected:
  /// Makes a session. `limits`: the content of section ratelimit.
  void use(const std::string& limits, const MilterOptions& options = {}) {
    store_ = std::make_shared<storage::buckets::EmbeddedBuckets>(1000, clock_, random_);
    lines_.lines.clear();
    auto settings = std::make_shared<Settings>();
    settings->milter = options;
    auto scanner = judge::Scanner::open(settings, &hashes_, clock_, random_);
    ASSERT_TRUE(scanner.has_value());
    current_.set(in_force({.scanner = *std::move(scanner), .limiter = limiter(limits)}));
    session_ = std::make_unique<Session>(current_, clock_, lines_, &mail_);
  }
  /// Plays the steps `mail`, `login`, `abort`, `connect`, `text`, `end`; any other word is a
  /// recipient. Returns the requests to the MTA and the answers.
  std::vector<std::string> play(const std::string& steps) {
    actions::RecordingMta mta;
    std::istringstream words(steps);
    for (std::string word; words >> word;) {
      if (word == "connect") {
        session_->connect(IpAddress::parse("192.0.2.1"), HeaderSpacing::kKept);
      } else if (word == "mail" || word == "login") {
        const auto next = session_->mail_from("<s@x>", word == "login" ? "bob" : "");
        if (next == Session::Next::kAccept) mta.requests.emplace_back("unchecked");
      } else if (word == "abort") {
        session_->abort();
      } else if (word == "text") {
        session_->end_of_headers();
        for (int i = 0; i < 200; ++i) session_->body("word" + std::to_string(i) + " ");
      } else if (word == "end") {
        const rules::Action action = session_->end_of_message("q", mta);
        mta.requests.push_back("= " + std::string(to_string(action)));
      } else if (const auto reply = session_->recipient('<' + word + '>')) {
        mta.requests.push_back(reply->code + ' ' + reply->enhanced_code + ' ' + word);
      }
    }
    return mta.requests;
  }

  shingled::testing::FakeStore hashes_;
  InfoLogger lines_;
  MailCounters mail_;
  judge::CurrentSnapshot current_;
  std::unique_ptr<Session> session_;
};

struct SessionCase {
  const char* why;
  const char* limits;
  std::int32_t known;  ///< value of every hash in the storage; 0 = unknown
  const char* steps;
  std::vector<std::string> answers;
  double left;  ///< in to:a afterwards
};

TEST_F(SessionLimitTest, KeepsOnlyDropsOfAcceptedMessages) {
  const SessionCase cases[] = {
      {"an accepted message",
       "rates: {to: [1, 0.1]}",
       0,
       "connect mail a text end mail a b text end",
       {"= pass", "451 4.7.1 a", "= pass"},
       1},
      {"RSET", "rates: {to: [1, 0.1]}", 0, "connect mail a abort mail a abort", {}, 0},
      {"MAIL twice", "rates: {to: [1, 0.1]}", 0, "connect mail a mail a text end", {"= pass"}, 1},
      {"a client that connects again", "rates: {to: [1, 0.1]}", 0, "connect mail a connect", {}, 0},
      {"a rejected message",
       "rates: {to: [1, 0.1]}",
       20,
       "connect mail a text end",
       {"reply 550 5.7.1 Message rejected as spam (id q)", "= reject"},
       0},
      {"a message deferred at its end",
       "rates: {to: [1, 0.1]}, when: end_of_message",
       0,
       "connect mail a text end mail a b text end",
       {"= pass", "reply 451 4.7.1 Message could not be accepted now, please try again later",
        "= tempfail"},
       1},
      {"log_only defers nothing",
       "rates: {to: [1, 0.1]}, log_only: yes",
       0,
       "connect mail a text end mail a text end",
       {"= pass", "= pass"},
       1},
      {"RCPT without MAIL takes nothing", "rates: {to: [1, 0.1]}", 0, "connect a a", {}, 0},
      {"a client on the list",
       "rates: {to: [1, 0.1]}, whitelisted_ip: 192.0.2.1",
       0,
       "connect mail a text end mail a text end",
       {"= pass", "= pass"},
       0},
  };
  for (const SessionCase& test : cases) {
    SCOPED_TRACE(test.why);
    use(test.limits);
    hashes_.knows_all.reset();
    if (test.known != 0) hashes_.knows_all = storage::FlagValue{11, test.known};
    EXPECT_EQ(play(test.steps), test.answers);
    EXPECT_NEAR(drops("to:a"), test.left, 1e-6);
  }
}

TEST_F(SessionLimitTest, LimitsMailThatPassesWithoutACheck) {
  MilterOptions options;
  options.skip_authenticated = true;
  use("rates: {user: [1, 0.1]}", options);
  hashes_.knows_all = storage::FlagValue{11, 20};
  EXPECT_THAT(play("connect login a text end login b text end"),
              ElementsAre("= pass", "451 4.7.1 b", "= pass"));
  EXPECT_THAT(lines_.lines, Contains(AllOf(HasSubstr("message"), HasSubstr("action=skip"))));
  use("rates: {user: [1, 0.1]}, whitelisted_ip: 192.0.2.1", options);
  EXPECT_THAT(play("connect login"), ElementsAre("unchecked")) << "nothing is limited";
}

TEST_F(SessionLimitTest, DefersNothingInADryRun) {
  MilterOptions options;
  options.dry_run = true;
  use("rates: {to: [1, 0.1]}", options);
  EXPECT_THAT(play("connect mail a text end mail a text end"), ElementsAre("= pass", "= pass"));
  EXPECT_THAT(lines_.lines, Contains(AllOf(HasSubstr("limit action=pass bucket=to:a"),
                                           HasSubstr("again_in=10s"))));
}

TEST_F(SessionLimitTest, AddsTheSymbolToScoreHeadersAndLog) {
  MilterOptions options;
  options.actions.add_header = 1.5;
  use("rates: {to: [1, 0.1]}, symbol: RL", options);
  EXPECT_THAT(play("connect mail a text end"), ElementsAre("= pass"))
      << "the bucket is not above its burst yet";
  EXPECT_THAT(play("mail a text end"),
              ElementsAre("add X-Spam: Yes", "add X-Shingled-Score: 1.52",
                          "add X-Shingled-Status: Yes, score=1.52 required=1.50 action=add_header\n"
                          "\tsymbols=RL(1.52)",
                          "add X-Shingled-Result: RL; type=to drops=2.0 burst=1 again=20s",
                          "= add_header"));
  EXPECT_THAT(lines_.lines.back(), HasSubstr("limit=\"bucket to:a holds 2.0 of 1, again in 20s\""));
}

TEST_F(SessionLimitTest, UsesTheLimitsInForceWhenTheMessageBegan) {
  use("rates: {to: [1, 0.1]}");
  play("connect mail a text end mail");
  current_.set(in_force({.scanner = current_.get()->scanner}));
  EXPECT_THAT(play("a"), ElementsAre("451 4.7.1 a"));
  EXPECT_THAT(play("mail a"), IsEmpty());
}

}  // namespace
}  // namespace shingled::milter::mta
