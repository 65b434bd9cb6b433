// Covers milter/mta/mail_counters.cpp.
#include "milter/mta/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "tests/milter/actions/recording_mta.h"
#include "tests/milter/mta/in_force.h"
#include "tests/support/fake_store.h"
#include "tests/support/manual_clock.h"

namespace shingled::milter::mta {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LineLogger final : public Logger {
 public:
  void write(LogLevel level, std::string_view line) override {
    if (level == LogLevel::kInfo) info_lines.emplace_back(line);
  }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::vector<std::string> info_lines;
};

/// Long enough for a direct hash of every rule.
std::string long_text() {
  std::ostringstream text;
  for (int i = 0; i < 120; ++i) text << "word" << i << (i % 10 == 9 ? "\r\n" : " ");
  return text.str();
}

class SessionTest : public ::testing::Test {
 protected:
  /// Plays a trace with one step per line. Returns the requests to the MTA and the answers.
  std::vector<std::string> play(const std::string& trace, const Settings& settings) {
    auto scanner =
        judge::Scanner::open(std::make_shared<const Settings>(settings), &store_, clock_, random_);
    EXPECT_TRUE(scanner.has_value());
    judge::CurrentSnapshot current(in_force({.scanner = *std::move(scanner)}));
    Session session(current, clock_, logger_);
    actions::RecordingMta mta;
    std::istringstream lines(trace);
    for (std::string line; std::getline(lines, line);) step(session, mta, line);
    return mta.requests;
  }

  void step(Session& session, actions::RecordingMta& mta, const std::string& line) {
    const std::string verb = line.substr(0, line.find(' '));
    const std::string rest = line.size() > verb.size() ? line.substr(verb.size() + 1) : "";
    if (verb == "connect") session.connect(IpAddress::parse(rest), HeaderSpacing::kKept);
    if (verb == "mail")
      answer(mta, session.mail_from("<a@b.example>", rest == "auth" ? "user" : ""));
    if (verb == "header") {
      const std::size_t colon = rest.find(':');
      session.header(rest.substr(0, colon), rest.substr(colon + 1));
    }
    if (verb == "eoh") session.end_of_headers();
    if (verb == "text") session.body(long_text());
    if (verb == "fail") session.fail(rest);
    if (verb == "abort") session.abort();
    if (verb == "eom") {
      mta.requests.push_back("= " + std::string(to_string(session.end_of_message("4bXyz", mta))));
    }
  }

  static void answer(actions::RecordingMta& mta, Session::Next next) {
    if (next == Session::Next::kAccept) mta.requests.emplace_back("= unchecked");
  }

  shingled::testing::FakeStore store_;
  shingled::testing::ManualClock clock_;
  SystemRandom random_;
  LineLogger logger_;
};

constexpr char kMail[] = "connect 192.0.2.1\nmail\nheader Subject: hi\neoh\ntext\neom";

struct TraceCase {
  const char* why;
  std::string trace;
  std::int32_t value;                             // of every hash in the storage; 0 = unknown
  std::function<void(MilterOptions&)> configure;  // may be empty
  std::vector<std::string> expected;
};

TEST_F(SessionTest, PlaysTraces) {
  const std::string forged =
      "connect 192.0.2.1\nmail\nheader X-Shingled-Score: 0\nheader x-SHINGLED-score: 0\nheader "
      "X-Spam: Yes\neoh\ntext\neom";
  const TraceCase cases[] = {
      {"an unknown message passes without changes", kMail, 0, {}, {"= pass"}},
      {"a reported message is rejected",
       kMail,
       20,
       {},
       {"reply 550 5.7.1 Message rejected as spam (id 4bXyz)", "= reject"}},
      {"forged headers are removed, those of other filters stay",
       forged,
       0,
       {},
       {"remove x-shingled-score 2", "remove x-shingled-score 1", "= pass"}},
      {"a dry run changes nothing", forged, 20, [](auto& o) { o.dry_run = true; }, {"= pass"}},
      {"an aborted message is forgotten",
       "connect 192.0.2.1\nmail\nheader X-Shingled-Score: 0\nabort\nmail\neoh\ntext\neom",
       0,
       {},
       {"= pass"}},
      {"a second MAIL begins a new message",
       "connect 192.0.2.1\nmail\nheader X-Shingled-Score: 0\nmail\neoh\ntext\neom",
       0,
       {},
       {"= pass"}},
      {"steps without MAIL do nothing",
       "connect 192.0.2.1\nheader X-Shingled-Score: 0\neoh\ntext\neom",
       20,
       {},
       {"= pass"}},
      {"two messages of one connection",
       std::string(kMail) + "\nmail\neoh\ntext\neom",
       20,
       [](auto& o) { o.reject_text = "no"; },
       {"reply 550 5.7.1 no (id 4bXyz)", "= reject", "reply 550 5.7.1 no (id 4bXyz)", "= reject"}},
      {"local mail is judged", "connect 127.0.0.1\nmail\neoh\ntext\neom", 0, {}, {"= pass"}},
      {"local mail may pass without a check",
       "connect 127.0.0.1\nmail",
       20,
       [](auto& o) { o.skip_local = true; },
       {"= unchecked"}},
      {"a local pipe has no address",
       "connect -\nmail",
       20,
       [](auto& o) { o.skip_local = true; },
       {"= unchecked"}},
      {"authenticated mail may pass without a check",
       "connect 192.0.2.1\nmail auth",
       20,
       [](auto& o) { o.skip_authenticated = true; },
       {"= unchecked"}},
      {"mail of others is checked all the same",
       kMail,
       20,
       [](auto& o) { o.skip_authenticated = o.skip_local = true; },
       {"reply 550 5.7.1 Message rejected as spam (id 4bXyz)", "= reject"}},
      {"after a failed step the message passes by default, with a header",
       "connect 192.0.2.1\nmail\nfail out of memory\neom",
       20,
       {},
       {"add X-Shingled-Status: Unknown, score=0.00, reason=out of memory", "= pass"}},
      {"after a failed step the message can be deferred",
       "connect 192.0.2.1\nmail\nfail x\neom",
       20,
       [](auto& o) { o.on_failure.other = FailurePolicy::kTempfail; },
       {"reply 451 4.7.1 Message could not be accepted now, please try again later", "= tempfail"}},
      {"the policy depends on the class of the sender",
       "connect 127.0.0.1\nmail\nfail x\neom",
       20,
       [](auto& o) {
         o.on_failure = {FailurePolicy::kReject, FailurePolicy::kAccept, FailurePolicy::kAccept};
       },
       {"reply 550 5.7.1 Message could not be checked (id 4bXyz)", "= reject"}},
      {"an authenticated sender from a local network is authenticated",
       "connect 127.0.0.1\nmail auth\nfail x\neom",
       20,
       [](auto& o) {
         o.on_failure = {FailurePolicy::kAccept, FailurePolicy::kTempfail, FailurePolicy::kAccept};
       },
       {"reply 451 4.7.1 Message could not be accepted now, please try again later", "= tempfail"}},
      {"quarantine",
       kMail,
       20,
       [](auto& o) {
         o.actions.reject.reset();
         o.actions.quarantine = 10.0;
         o.headers = {"", "", "", ""};
       },
       {"quarantine score 19.83 reaches quarantine 10.00", "= quarantine"}},
      {"discard", kMail, 20, [](auto& o) { o.actions.discard = 10.0; }, {"= discard"}},
  };
  for (const TraceCase& c : cases) {
    Settings settings;
    if (c.configure) c.configure(settings.milter);
    store_.knows_all.reset();
    if (c.value != 0) store_.knows_all = storage::FlagValue{11, c.value};
    EXPECT_EQ(play(c.trace, settings), c.expected) << c.why;
  }
}

TEST_F(SessionTest, AddsHeadersBetweenTheThresholds) {
  store_.knows_all = storage::FlagValue{12, 9};
  const auto requests = play(kMail, Settings{});
  ASSERT_THAT(requests, SizeIs(5));
  EXPECT_EQ(requests[0], "add X-Spam: Yes");
  EXPECT_THAT(requests[3], HasSubstr("X-Shingled-Result: FUZZY_PROB; flag=12 value=9 prob=1.00"));
  EXPECT_EQ(requests[4], "= add_header");
}

TEST_F(SessionTest, WritesOneLinePerMessage) {
  store_.knows_all = storage::FlagValue{11, 20};
  play(std::string(kMail) + "\nmail\nabort", Settings{});
  ASSERT_THAT(logger_.info_lines, SizeIs(1));
  EXPECT_THAT(logger_.info_lines[0],
              AllOf(HasSubstr("message queue_id=4bXyz action=reject score=19.83 "
                              "hits=FUZZY_DENIED:11:20:1.00:local/1:"),
                    HasSubstr(" failed=0 "), HasSubstr("class=other client=192.0.2.1")));
}

TEST_F(SessionTest, LogsWhatADryRunWouldHaveDone) {
  store_.knows_all = storage::FlagValue{11, 20};
  Settings settings;
  settings.milter.dry_run = true;
  play(kMail, settings);
  ASSERT_THAT(logger_.info_lines, SizeIs(1));
  EXPECT_THAT(logger_.info_lines[0], AllOf(HasSubstr("action=reject"), HasSubstr("dry_run=true")));
}

TEST_F(SessionTest, JudgesTheBeginningOfALargeMessage) {
  store_.knows_all = storage::FlagValue{11, 20};
  Settings settings;
  settings.milter.message_bytes_max = 500;
  EXPECT_THAT(play(kMail, settings), ::testing::Contains("= reject"));
  EXPECT_THAT(logger_.info_lines.at(0), AllOf(HasSubstr("bytes=500"), HasSubstr("truncated=true")));
}

TEST_F(SessionTest, UsesTheSettingsInForceWhenTheMessageBegan) {
  auto first = std::make_shared<Settings>();
  auto scanner = judge::Scanner::open(first, &store_, clock_, random_);
  judge::CurrentSnapshot current(in_force({.scanner = *std::move(scanner)}));
  Session session(current, clock_, logger_);
  actions::RecordingMta mta;
  store_.knows_all = storage::FlagValue{11, 20};
  session.connect(IpAddress::parse("192.0.2.1"), HeaderSpacing::kKept);
  session.mail_from("<a@b.example>", "");
  auto second = std::make_shared<Settings>();
  second->milter.actions.reject.reset();
  auto other = judge::Scanner::open(second, &store_, clock_, random_);
  current.set(in_force({.scanner = *std::move(other)}));
  session.end_of_headers();
  session.body(long_text());
  EXPECT_EQ(session.end_of_message("q", mta), rules::Action::kReject);
}

TEST_F(SessionTest, CountsEachMessageOnce) {
  Settings settings;
  settings.milter.skip_local = true;
  auto scanner =
      judge::Scanner::open(std::make_shared<const Settings>(settings), &store_, clock_, random_);
  judge::CurrentSnapshot current(in_force({.scanner = *std::move(scanner)}));
  MailCounters counters;
  Session session(current, clock_, logger_, &counters);
  actions::RecordingMta mta;
  const auto deliver = [&](const char* client, const std::string& body) {
    session.connect(IpAddress::parse(client), HeaderSpacing::kKept);
    session.mail_from("<a@b.example>", "");
    session.end_of_headers();
    session.body(body);
    session.end_of_message("q", mta);
  };
  deliver("192.0.2.1", long_text());
  store_.knows_all = storage::FlagValue{11, 20};
  deliver("192.0.2.1", long_text());
  deliver("127.0.0.1", long_text());
  session.connect(IpAddress::parse("192.0.2.1"), HeaderSpacing::kKept);
  session.mail_from("<a@b.example>", "");
  session.abort();

  MetricReport report;
  counters.report(report);
  EXPECT_EQ(report.total("shingled_mail_messages"), 3);
  EXPECT_EQ(report.total("shingled_mail_messages", {{"action", "pass"}}), 1);
  EXPECT_EQ(report.total("shingled_mail_messages", {{"action", "reject"}}), 1);
  EXPECT_EQ(report.total("shingled_mail_messages", {{"action", "skip"}}), 1);
  EXPECT_GT(report.total("shingled_mail_lookups", {{"outcome", "hit"}}), 0);
  EXPECT_EQ(report.total("shingled_mail_lookups", {{"outcome", "hit"}}),
            report.total("shingled_mail_lookups", {{"outcome", "miss"}}));
  EXPECT_EQ(report.total("shingled_mail_stage_seconds", {{"stage", "analysis"}}), 2);
  EXPECT_EQ(report.total("shingled_mail_stage_seconds", {{"stage", "total"}}), 2);
  EXPECT_EQ(report.total("shingled_mail_stage_seconds", {{"stage", "remote_lookup"}}), 0)
      << "nothing was looked up";
}

TEST_F(SessionTest, CannotBeMadeToForgeALogLine) {
  auto scanner = judge::Scanner::open(std::make_shared<const Settings>(), &store_, clock_, random_);
  judge::CurrentSnapshot current(in_force({.scanner = *std::move(scanner)}));
  Session session(current, clock_, logger_);
  actions::RecordingMta mta;
  session.connect(IpAddress::parse("192.0.2.1"), HeaderSpacing::kKept);
  session.mail_from("<a@b.example>", "");
  static_cast<void>(session.end_of_message("q\nmessage queue_id=x action=pass", mta));
  ASSERT_THAT(logger_.info_lines, SizeIs(1));
  EXPECT_THAT(logger_.info_lines[0],
              HasSubstr("queue_id=\"q\\x0amessage queue_id=x action=pass\""));
}

}  // namespace
}  // namespace shingled::milter::mta
