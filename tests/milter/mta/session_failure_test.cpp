// Sessions with failures: a step throws, there is not enough memory, the service ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "milter/mta/session.h"
#include "tests/milter/actions/recording_mta.h"
#include "tests/milter/mta/in_force.h"
#include "tests/support/fake_store.h"
#include "tests/support/manual_clock.h"

namespace shingled::milter::mta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kTempfail[] =
    "reply 451 4.7.1 Message could not be accepted now, please try again later";
constexpr char kReject[] = "reply 550 5.7.1 Message could not be checked (id q)";
constexpr char kNoMemory[] =
    "reply 451 4.3.1 Message could not be checked now, please try again later";

/// Throws for the next `breaks` calls.
class FragileClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override {
    if (breaks > 0 && breaks-- > 0) throw std::runtime_error("the clock broke");
    return clock.now();
  }
  [[nodiscard]] WallTime wall() const override { return clock.wall(); }

  shingled::testing::ManualClock clock;
  mutable int breaks = 0;
};

class LastLine final : public Logger {
 public:
  void write(LogLevel, std::string_view text) override { line = text; }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::string line;
};

/// Time passes when it is asked for more time.
class PatientMta final : public actions::Mta {
 public:
  explicit PatientMta(shingled::testing::ManualClock& clock) : clock_(clock) {}
  Status edit_header(const actions::HeaderEdit& edit) override {
    return recorded.edit_header(edit);
  }
  Status quarantine(const std::string& reason) override { return recorded.quarantine(reason); }
  Status set_reply(const actions::Reply& reply) override { return recorded.set_reply(reply); }
  void progress() override {
    recorded.progress();
    clock_.advance(std::chrono::seconds(1));
  }
  actions::RecordingMta recorded;

 private:
  shingled::testing::ManualClock& clock_;
};

class SessionFailureTest : public ::testing::Test {
 protected:
  SessionFailureTest() {
    // Each class of sender has another answer.
    settings_.milter.on_failure = {FailurePolicy::kAccept, FailurePolicy::kReject,
                                   FailurePolicy::kTempfail};
  }
  Session& open(SessionBounds bounds = {}) {
    auto scanner =
        judge::Scanner::open(std::make_shared<const Settings>(settings_), &store_, clock_, random_);
    current_.set(in_force({.scanner = *std::move(scanner)}));
    session_ = std::make_unique<Session>(current_, clock_, log_, nullptr, std::move(bounds));
    return *session_;
  }
  void send(std::size_t bytes) {
    session_->end_of_headers();
    std::string text;
    while (text.size() < bytes) text += "word" + std::to_string(text.size()) + ' ';
    session_->body(text.substr(0, bytes));
  }
  std::vector<std::string> end() {
    const rules::Action action = session_->end_of_message("q", mta_);
    auto requests = std::exchange(mta_.recorded.requests, {});
    requests.push_back("= " + std::string(to_string(action)));
    return requests;
  }

  Settings settings_;
  shingled::testing::FakeStore store_;
  FragileClock clock_;
  SystemRandom random_;
  LastLine log_;
  judge::CurrentSnapshot current_;
  std::unique_ptr<Session> session_;
  PatientMta mta_{clock_.clock};
};

struct SenderCase {
  const char* why;
  const char* client;  // "" = without an address
  Unaddressed without;
  const char* login;
  std::vector<std::string> expected;
};

const SenderCase kSenders[] = {
    {"a local network", "127.0.0.1", Unaddressed::kLocal, "", {"= pass"}},
    {"a local pipe", "", Unaddressed::kLocal, "", {"= pass"}},
    {"a client that the MTA does not know is not local",
     "",
     Unaddressed::kUnknown,
     "",
     {kTempfail, "= tempfail"}},
    {"a login", "127.0.0.1", Unaddressed::kLocal, "bob", {kReject, "= reject"}},
    {"others", "192.0.2.1", Unaddressed::kLocal, "", {kTempfail, "= tempfail"}},
};

/// Without the header about the failure, which has other tests.
std::vector<std::string> without_headers(std::vector<std::string> requests) {
  std::erase_if(requests, [](const std::string& line) { return line.starts_with("add "); });
  return requests;
}

TEST_F(SessionFailureTest, AnExceptionAtMailFromIsJudgedByPolicyAtTheEnd) {
  for (const SenderCase& c : kSenders) {
    Session& session = open();
    session.connect(IpAddress::parse(c.client), HeaderSpacing::kKept, c.without);
    clock_.breaks = 1;
    EXPECT_THROW(session.mail_from("<a@b>", c.login), std::runtime_error) << c.why;
    session.fail("the clock broke");  // as the callbacks of MilterService do
    send(1000);
    EXPECT_EQ(without_headers(end()), c.expected) << c.why;
    EXPECT_FALSE(session.in_message());
  }
}

TEST_F(SessionFailureTest, AnExceptionAtMailFromIsJudgedByPolicyEvenIfItCannotBeNoted) {
  for (const SenderCase& c : kSenders) {
    Session& session = open();
    session.connect(IpAddress::parse(c.client), HeaderSpacing::kKept, c.without);
    clock_.breaks = 2;
    EXPECT_THROW(session.mail_from("<a@b>", c.login), std::runtime_error) << c.why;
    session.fail("the clock broke");
    EXPECT_FALSE(session.in_message()) << c.why;
    send(1000);
    EXPECT_THAT(end(), ElementsAre(c.expected.back())) << c.why;
    EXPECT_THAT(end(), ElementsAre("= pass")) << "it has ended: " << c.why;
  }
}

TEST_F(SessionFailureTest, AFailureAtTheEndIsJudgedByPolicy) {
  store_.throws = true;
  for (const SenderCase& c : kSenders) {
    Session& session = open();
    session.connect(IpAddress::parse(c.client), HeaderSpacing::kKept, c.without);
    session.mail_from("<a@b>", c.login);
    send(5000);
    EXPECT_EQ(without_headers(end()), c.expected) << c.why;
    EXPECT_THAT(log_.line, HasSubstr("reason=\"the store broke\""));
  }
}

TEST_F(SessionFailureTest, ASecondFailureAtTheEndIsJudgedByPolicy) {
  for (const SenderCase& c : kSenders) {
    Session& session = open();
    session.connect(IpAddress::parse(c.client), HeaderSpacing::kKept, c.without);
    session.mail_from("<a@b>", c.login);
    send(5000);
    clock_.breaks = 100;
    EXPECT_THAT(end(), ::testing::Contains(c.expected.back())) << c.why;
    clock_.breaks = 0;
    EXPECT_FALSE(session.in_message()) << c.why;
  }
}

TEST_F(SessionFailureTest, KnowsTheActionOfThePolicyAfterTheEndOfTheService) {
  for (const SenderCase& c : kSenders) {
    Session& session = open();
    session.connect(IpAddress::parse(c.client), HeaderSpacing::kKept, c.without);
    session.identify(c.login);
    current_.set(nullptr);
    EXPECT_EQ("= " + std::string(to_string(session.failure_action())), c.expected.back()) << c.why;
  }
  settings_.milter.dry_run = true;
  Session& session = open();
  session.connect(IpAddress::parse("192.0.2.1"), HeaderSpacing::kKept);
  EXPECT_EQ(session.failure_action(), rules::Action::kPass) << "a dry run changes nothing";
}

TEST_F(SessionFailureTest, AMessageWithoutMemoryIsDeferredUnderAnyPolicy) {
  const auto memory = std::make_shared<MemoryBudget>(8'000'000);
  for (const SenderCase& c : kSenders) {
    Session& session = open({memory, {}});
    session.connect(IpAddress::parse(c.client), HeaderSpacing::kKept, c.without);
    session.mail_from("<a@b>", c.login);
    send(6'000'000);
    EXPECT_EQ(memory->used(), 0U) << c.why;
    EXPECT_THAT(end(), ElementsAre(kNoMemory, "= tempfail")) << c.why;
    EXPECT_THAT(log_.line, HasSubstr("reason=\"no memory to receive it (milter.memory_max)\""));
  }
}

TEST_F(SessionFailureTest, AnAnalysisWaitsForMemoryAndTheMtaIsAskedForMoreTime) {
  const auto memory = std::make_shared<MemoryBudget>(100'000'000);
  Session& session = open({memory, {}});
  session.connect(IpAddress::parse("192.0.2.1"), HeaderSpacing::kKept);
  session.mail_from("<a@b>", "");
  send(1'000'000);
  ASSERT_TRUE(memory->take(80'000'000, MemoryBudget::Use::kSmall));
  EXPECT_THAT(end(), ElementsAre(kNoMemory, "= tempfail"));
  EXPECT_EQ(mta_.recorded.progress_count, 60);
  EXPECT_THAT(log_.line, HasSubstr("reason=\"no memory to analyse it (milter.memory_max)\""));
  EXPECT_EQ(memory->used(), 80'000'000U) << "the memory of this message is given back";

  session.mail_from("<a@b>", "");
  send(10'000);
  EXPECT_THAT(end(), ElementsAre("= pass")) << "small messages have a share of their own";
  memory->give_back(80'000'000, MemoryBudget::Use::kSmall);
  session.mail_from("<a@b>", "");
  send(1'000'000);
  EXPECT_THAT(end(), ElementsAre("= pass"));
  EXPECT_EQ(memory->used(), 0U);
}

TEST_F(SessionFailureTest, AMessageThatPassesWithoutACheckNeedsNoMemory) {
  settings_.milter.skip_local = true;
  const auto memory = std::make_shared<MemoryBudget>(0);
  Session& session = open({memory, {}});
  session.connect(IpAddress::parse("127.0.0.1"), HeaderSpacing::kKept);
  EXPECT_EQ(session.mail_from("<a@b>", ""), Session::Next::kAccept);
  send(100'000);
  EXPECT_THAT(end(), ElementsAre("= pass"));
}

TEST_F(SessionFailureTest, ADryRunDefersNothingForMemory) {
  settings_.milter.dry_run = true;
  Session& session = open({std::make_shared<MemoryBudget>(0), {}});
  session.connect(IpAddress::parse("192.0.2.1"), HeaderSpacing::kKept);
  session.mail_from("<a@b>", "");
  send(100'000);
  EXPECT_THAT(end(), ElementsAre("= pass"));
  EXPECT_THAT(log_.line, HasSubstr("action=tempfail"));
}

TEST_F(SessionFailureTest, WhenTheServiceEndsTheFailurePolicyAnswers) {
  std::stop_source stop;
  stop.request_stop();
  for (const bool memory_lacks : {false, true}) {
    const auto memory = std::make_shared<MemoryBudget>(100'000'000);
    if (memory_lacks) {
      ASSERT_TRUE(memory->take(80'000'000, MemoryBudget::Use::kSmall));
    }
    for (const SenderCase& c : kSenders) {
      Session& session = open({memory, stop.get_token()});
      session.connect(IpAddress::parse(c.client), HeaderSpacing::kKept, c.without);
      session.mail_from("<a@b>", c.login);
      send(1'000'000);
      EXPECT_EQ(without_headers(end()), c.expected) << c.why;
      EXPECT_THAT(log_.line, HasSubstr("reason=\"the service ends\"")) << c.why;
    }
  }
}

}  // namespace
}  // namespace shingled::milter::mta
