// Covers milter/mta/session_history.cpp and sessions whose messages are counted: what is added,
// when, and what is not.
#include <gmock/gmock.h>

#include <functional>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "milter/history/history_recorder.h"
#include "milter/mta/session.h"
#include "milter/reports/kept_code.h"
#include "storage/sqlite/history/history_table.h"
#include "tests/milter/actions/recording_mta.h"
#include "tests/milter/mta/in_force.h"
#include "tests/milter/policy/policy_world.h"
#include "tests/milter/ratelimit/limiter_fixture.h"
#include "tests/support/fake_counters.h"
#include "tests/support/fake_store.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::mta {
namespace {

using storage::counters::Addition;
using storage::counters::counter_of;
using storage::counters::Direction;
using storage::counters::Measure;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr CounterKeyBytes kSite{3};

class SessionCountTest : public ratelimit::LimiterFixture {
 protected:
  void use(const MilterOptions& options = {}, const std::string& limits = {}) {
    auto settings = std::make_shared<Settings>();
    settings->milter = options;
    auto scanner =
        judge::Scanner::open(settings, &hashes_, clock_, random_, {}, judge::ServerNames::kNow,
                             std::make_shared<const policy::Policy>(rules_));
    ASSERT_TRUE(scanner.has_value());
    CounterOptions counters;
    counter_ = std::make_shared<const counters::MessageCounter>(
        counters::MessageCounter::Setup{
            .options = counters,
            .thresholds = counters::CountThresholds::of(counters, options.actions),
            .needs = needs_,
            .site = kSite,
            .name = {},
            .store = mass_},
        clock_, silent_, state_);
    store_ = std::make_shared<storage::buckets::EmbeddedBuckets>(1000, clock_, random_);
    current_.set(in_force({.scanner = *std::move(scanner),
                           .limiter = limits.empty() ? nullptr : limiter(limits),
                           .counter = counter_,
                           .history = history_}));
    SessionBounds bounds;
    if (put_off_)
      bounds.later = [this](auto work) {
        if (later_fails_) throw std::bad_alloc();
        later_.push_back(std::move(work));
      };
    session_ = std::make_unique<Session>(current_, clock_, silent_, nullptr, std::move(bounds));
  }
  void open_history(const HistoryOptions& options) {
    auto recorder = history::HistoryRecorder::open_without_thread(
        {.options = options, .site = kSite}, clock_, silent_);
    ASSERT_TRUE(recorder) << recorder.error().message;
    history_ = *std::move(recorder);
  }
  /// Plays the steps `local` or `connect`, `mail`, `login`, `refused`, `text`, `fail`, `abort`,
  /// `end`; any other word is a recipient. Returns the answers.
  std::vector<std::string> play(const std::string& steps) {
    actions::RecordingMta mta;
    std::vector<std::string> answers;
    std::istringstream words(steps);
    for (std::string word; words >> word;) {
      if (word == "connect" || word == "local") {
        session_->connect(IpAddress::parse(word == "local" ? "127.0.0.1" : "192.0.2.1"),
                          HeaderSpacing::kKept, Unaddressed::kLocal, "mx.example.net");
        session_->hello("helo.example.net");
      } else if (word == "mail" || word == "login") {
        const auto next = session_->mail_from("<s@x.example>", word == "login" ? "bob" : "");
        if (next == Session::Next::kAccept) answers.emplace_back("unchecked");
      } else if (word == "abort") {
        session_->abort();
      } else if (word == "fail") {
        session_->fail("no reason");
      } else if (word == "refused") {
        session_->refused_recipient();
      } else if (word == "text") {
        session_->header("Message-ID", " <1@x>");
        session_->end_of_headers();
        for (int i = 0; i < 200; ++i) session_->body("word" + std::to_string(i) + " ");
        session_->body("https://host.example.org/");
      } else if (word == "end") {
        answers.emplace_back(to_string(session_->end_of_message("q", mta)));
      } else if (const auto reply = session_->recipient('<' + word + '>')) {
        answers.push_back(reply->code + ' ' + word);
      }
    }
    return answers;
  }
  [[nodiscard]] Addition only() const {
    const auto additions = mass_->additions();
    EXPECT_THAT(additions, SizeIs(1));
    return additions.empty() ? Addition() : additions[0];
  }

  shingled::testing::FakeStore hashes_;
  NullLogger silent_;
  std::shared_ptr<history::HistoryRecorder> history_;
  policy::CompiledRules rules_;
  features::CounterNeeds needs_;
  counters::CountingState state_;
  std::shared_ptr<shingled::testing::FakeCounters> mass_ =
      std::make_shared<shingled::testing::FakeCounters>();
  std::shared_ptr<const counters::MessageCounter> counter_;
  judge::CurrentSnapshot current_;
  bool put_off_ = false;  ///< what a session does later is put into `later_`, and the test does it
  bool later_fails_ = false;
  std::vector<std::function<void()>> later_;
  std::unique_ptr<Session> session_;
};

// What a mailbox gets differs from what we saw: the server has added fields on top.
TEST_F(SessionCountTest, TheHistoryKeepsWhatAReportOfTheDeliveredMessageNeeds) {
  const shingled::testing::TemporaryDirectory folder;
  HistoryOptions options;
  options.file = folder.file("history.db");
  open_history(options);
  use();
  EXPECT_THAT(play("connect mail a@y.example text end mail a@y.example b@y.example text end"),
              ElementsAre("pass", "pass"));
  ASSERT_TRUE(history_->write());
  std::string copy =
      "Return-Path: <s@x.example>\r\nDelivered-To: a@y.example\r\n"
      "Received: from helo.example.net (mx.example.net [192.0.2.1]) by mx.example.org; "
      "Fri, 21 Nov 1997 09:55:06 -0600\r\nMessage-ID: <1@x>\r\n\r\n";
  for (int i = 0; i < 200; ++i) copy += "word" + std::to_string(i) + " ";
  copy += "https://host.example.org/";
  const auto taught = reports::taught_rules(Settings());
  const auto expected = reports::read_reported(copy, kSite, taught);
  ASSERT_FALSE(expected.hashes.empty());
  const std::uint64_t own = piece_shingle(kSite, PieceType::kRecipient, "a@y.example");
  auto reader = storage::sqlite::HistoryReader::open(options.file);
  ASSERT_TRUE(reader);
  int rows = 0;
  ASSERT_TRUE((*reader)->find("q", [&](const storage::sqlite::HistoryReader::View& row) {
    const auto kept = reports::decode_kept(*(*reader)->kept(row.time), kSite);
    EXPECT_TRUE(kept);
    if (kept) {
      EXPECT_EQ(reports::reported_message(*kept, {&own, 1}, taught.rules), expected);
    }
    EXPECT_EQ(as_text(row.sender_name), "s@x.example");
    EXPECT_EQ(as_text(row.recipients),
              ++rows == 1 ? "a@y.example\nb@y.example\n" : "a@y.example\n");
    return true;
  }));
  EXPECT_EQ(rows, 2);
  history_.reset();  // before its folder
}

TEST_F(SessionCountTest, NobodyWaitsForTheHistory) {
  const shingled::testing::TemporaryDirectory folder;
  HistoryOptions options;
  options.file = folder.file("history.db");
  open_history(options);
  put_off_ = true;
  use();
  const auto rows = [&] {
    EXPECT_TRUE(history_->write());
    auto reader = storage::sqlite::HistoryReader::open(options.file);
    std::vector<std::string> out;
    EXPECT_TRUE((*reader)->find("q", [&](const storage::sqlite::HistoryReader::View& row) {
      out.emplace_back(as_text(row.recipients));
      return true;
    }));
    return out;
  };
  EXPECT_THAT(play("connect mail a@y.example text end"), ElementsAre("pass"));
  EXPECT_THAT(mass_->additions(), SizeIs(1)) << "the next message has to find it";
  EXPECT_FALSE(session_->in_message());
  EXPECT_THAT(rows(), IsEmpty());
  EXPECT_THAT(play("mail b@y.example text"), IsEmpty()) << "the next one of the connection";
  session_.reset();
  ASSERT_THAT(later_, SizeIs(1));
  later_.front()();
  EXPECT_THAT(rows(), ElementsAre("a@y.example\n")) << "it needs nothing of its session";
  later_.clear();
  history_.reset();  // before its folder
}

TEST_F(SessionCountTest, ARefusalStandsWithoutMemoryToDeferItsRow) {
  const shingled::testing::TemporaryDirectory folder;
  HistoryOptions options;
  options.file = folder.file("history.db");
  open_history(options);
  put_off_ = true;
  later_fails_ = true;
  use();
  hashes_.knows_all = storage::FlagValue{11, 20};
  EXPECT_THAT(play("connect mail a@y text end"), ElementsAre("reject"));
  EXPECT_THAT(mass_->additions(), SizeIs(1));
  EXPECT_TRUE(history_->write());
  std::size_t rows = 0;
  EXPECT_TRUE((*storage::sqlite::HistoryReader::open(options.file))
                  ->find("q", [&](const storage::sqlite::HistoryReader::View& /*row*/) {
                    ++rows;
                    return true;
                  }));
  EXPECT_EQ(rows, 1U) << "it is written at once";
  history_.reset();  // before its folder
}

// A reload in the middle of a message must not judge it by half of the new settings.
TEST_F(SessionCountTest, AMessageHasOneSnapshotFromItsBeginningToItsEnd) {
  use({}, "rates: {to: [1, 1 / 1h]}");
  EXPECT_THAT(play("connect mail a@y text end mail"), ElementsAre("pass"));
  auto nothing = std::make_shared<Settings>();
  current_.set(
      in_force({.scanner = *judge::Scanner::open(std::move(nothing), nullptr, clock_, random_)}));
  EXPECT_THAT(play("a@y"), SizeIs(1)) << "it has its limits";
  EXPECT_THAT(play("b@y text end"), ElementsAre("pass"));
  EXPECT_THAT(mass_->additions(), SizeIs(2)) << "and its counter";
  EXPECT_THAT(play("mail a@y text end"), ElementsAre("pass")) << "the next has no limit";
  EXPECT_THAT(mass_->additions(), SizeIs(2)) << "and no counter";
}

TEST_F(SessionCountTest, CountsAMessageAfterItsVerdict) {
  use();
  EXPECT_THAT(play("connect mail a@y b@y text end"), ElementsAre("pass"));
  const Addition addition = only();
  EXPECT_EQ(addition.amounts.of(Measure::kMass), 1U);
  EXPECT_EQ(addition.amounts.of(Measure::kRecipients), 2U);
  EXPECT_EQ(addition.amounts.of(Measure::kHam), 1U);
  EXPECT_EQ(addition.amounts.of(Measure::kFailed), 0U);
  const auto is_counted = [](PieceType type, std::string_view piece) {
    return Contains(counter_of(kSite, Direction::kIn, type, piece));
  };
  EXPECT_THAT(addition.counters, is_counted(PieceType::kSender, "s@x.example"));
  EXPECT_THAT(addition.counters, is_counted(PieceType::kRecipient, "b@y"));
  EXPECT_THAT(addition.counters, is_counted(PieceType::kClient, "192.0.2.1"));
  EXPECT_THAT(addition.counters, is_counted(PieceType::kClientDomain, "example.net"));
  EXPECT_THAT(addition.counters, is_counted(PieceType::kHelo, "helo.example.net"));
  EXPECT_THAT(addition.counters, is_counted(PieceType::kLinkHost, "host.example.org"));
  EXPECT_EQ(mass_->questions(), 0U) << "nobody needs to know";
}

TEST_F(SessionCountTest, CountsSpamAlsoIfItIsRefused) {
  use();
  hashes_.knows_all = storage::FlagValue{11, 20};
  EXPECT_THAT(play("connect mail a@y text end"), ElementsAre("reject"));
  EXPECT_EQ(only().amounts.of(Measure::kSpam), 1U);
}

TEST_F(SessionCountTest, TellsOutgoingMailByItsSender) {
  use();
  play("local mail a@y text end");
  play("connect login a@y text end");
  const auto additions = mass_->additions();
  ASSERT_THAT(additions, SizeIs(2));
  for (const Addition& addition : additions) {
    EXPECT_EQ(addition.counters[0].direction, Direction::kOut);
  }
  EXPECT_THAT(additions[1].counters,
              Contains(counter_of(kSite, Direction::kOut, PieceType::kUser, "bob")));
}

TEST_F(SessionCountTest, AsksBeforeItCountsTheMessage) {
  needs_ = {{PieceType::kSender, {storage::counters::Window{}}}};
  use();
  const std::string message = "Subject: hi\r\n\r\nhello";
  judge::MessageCount count(counter_, {.sender = "<s@x.example>"}, Direction::kIn);
  play("connect mail a@y text end");
  EXPECT_EQ(mass_->questions(), 1U);
  const rules::Facts facts = current_.get()->scanner->scan({.bytes = message, .counters = &count});
  ASSERT_THAT(facts.counters.pieces, SizeIs(1));
  EXPECT_TRUE(facts.counters.pieces[0].known);
  EXPECT_EQ(facts.counters.pieces[0].sums[0].of(Measure::kMass), 1U) << "of the message before";
}

TEST_F(SessionCountTest, RulesSeeTheSameRecipientsIfTheMessageIsCountedOrNot) {
  rules_ = policy::testing::compiled({policy::testing::rule("MANY", "recipients >= 3", 50)});
  use();
  const std::string twice_the_same = "connect mail a@y b@y b@y text end";
  EXPECT_THAT(play(twice_the_same), ElementsAre("reject"));
  EXPECT_THAT(play("connect mail a@y b@y text end"), ElementsAre("pass"));
  current_.set(in_force({.scanner = current_.get()->scanner}));
  EXPECT_THAT(play(twice_the_same), ElementsAre("reject"));
  EXPECT_THAT(play("connect mail a@y b@y text end"), ElementsAre("pass"));
}

TEST_F(SessionCountTest, DoesNotCountWhatIsNotLookedAt) {
  MilterOptions options;
  options.skip_local = true;
  use(options);
  EXPECT_THAT(play("local mail"), ElementsAre("unchecked"));
  play("connect mail a@y text abort");
  play("connect mail a@y text fail end");
  EXPECT_THAT(mass_->additions(), IsEmpty());
}

TEST_F(SessionCountTest, CountsRefusedRecipientsWhateverBecomesOfTheMessage) {
  for (const char* steps :
       {"connect mail refused refused abort", "connect mail refused refused mail",
        "connect mail refused refused connect"}) {
    SCOPED_TRACE(steps);
    mass_ = std::make_shared<shingled::testing::FakeCounters>();
    use();
    play(steps);
    const Addition addition = only();
    EXPECT_EQ(addition.amounts.of(Measure::kFailed), 2U);
    EXPECT_EQ(addition.amounts.of(Measure::kMass), 0U);
    EXPECT_THAT(addition.pairs, IsEmpty());
  }
}

TEST_F(SessionCountTest, CountsRecipientsOfAMessageThatTheServerTookInPart) {
  use();
  play("connect mail a@y refused b@y refused refused text end");
  const auto additions = mass_->additions();
  ASSERT_THAT(additions, SizeIs(2));
  EXPECT_EQ(additions[0].amounts.of(Measure::kRecipients), 2U);
  EXPECT_EQ(additions[0].amounts.of(Measure::kFailed), 0U);
  EXPECT_EQ(additions[1].amounts.of(Measure::kFailed), 3U);
  EXPECT_THAT(additions[1].counters,
              Not(Contains(counter_of(kSite, Direction::kIn, PieceType::kRecipient, "a@y"))));
}

TEST_F(SessionCountTest, ALimitKnowsNothingOfRefusedRecipients) {
  use({}, "rates: {ip: [1, 1 / 1h], to: [1, 1 / 1h]}");
  EXPECT_THAT(play("connect mail refused refused a@y text end"), ElementsAre("pass"));
  EXPECT_THAT(play("mail a@y b@y"), Contains("451 a@y"));
}

TEST_F(SessionCountTest, ARecipientThatALimitPutsOffIsNotCounted) {
  use({}, "rates: {to: [1, 1 / 1h]}");
  play("connect mail a@y text end");
  EXPECT_THAT(play("mail a@y b@y text end"), ElementsAre("451 a@y", "pass"));
  const auto additions = mass_->additions();
  ASSERT_THAT(additions, SizeIs(2));
  EXPECT_EQ(additions[1].amounts.of(Measure::kRecipients), 1U);
  EXPECT_THAT(additions[1].counters,
              Not(Contains(counter_of(kSite, Direction::kIn, PieceType::kRecipient, "a@y"))));
}

TEST_F(SessionCountTest, CountsAMessageThatIsPutOffOnce) {
  MilterOptions options;
  options.actions.reject = {};
  options.actions.tempfail = 5.0;
  use(options);
  hashes_.knows_all = storage::FlagValue{11, 20};
  EXPECT_THAT(play("connect mail a@y b@y text end"), ElementsAre("tempfail"));
  hashes_.knows_all.reset();
  EXPECT_THAT(play("connect mail b@y a@y text end"), ElementsAre("pass"));
  EXPECT_EQ(only().amounts.of(Measure::kSpam), 1U);
  EXPECT_EQ(state_.events.retries.read(), 1U);
  play("connect mail a@y text end");
  EXPECT_THAT(mass_->additions(), SizeIs(2)) << "other recipients, another message";
}

TEST_F(SessionCountTest, ADryRunPutsNothingOff) {
  MilterOptions options;
  options.actions.reject = {};
  options.actions.tempfail = 5.0;
  options.dry_run = true;
  use(options);
  hashes_.knows_all = storage::FlagValue{11, 20};
  EXPECT_THAT(play("connect mail a@y text end mail a@y text end"), ElementsAre("pass", "pass"));
  EXPECT_THAT(mass_->additions(), SizeIs(2));
}

TEST_F(SessionCountTest, AFailingStoreChangesNothing) {
  use();
  mass_->fail(true);
  EXPECT_THAT(play("connect mail a@y refused text end mail refused abort"), ElementsAre("pass"));
  EXPECT_EQ(state_.events.failures.read(), 3U);
}

}  // namespace
}  // namespace shingled::milter::mta
