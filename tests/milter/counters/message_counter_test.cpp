#include "milter/counters/message_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_counters.h"
#include "tests/support/manual_clock.h"

namespace shingled::milter::counters {
namespace {

using storage::counters::Amounts;
using storage::counters::Direction;
using storage::counters::Measure;
using storage::counters::parse_window;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class LevelLogger final : public Logger {
 public:
  void write(LogLevel level, std::string_view line) override {
    lines.push_back((level == LogLevel::kError ? "error " : "info ") + std::string(line));
  }
  [[nodiscard]] bool enabled(LogLevel) const override { return true; }
  std::vector<std::string> lines;
};

const std::vector<mime::Piece> kPieces = {{PieceType::kSender, "a@x", ""},
                                          {PieceType::kLinkHost, "h.example", ""}};

class MessageCounterTest : public ::testing::Test {
 protected:
  MessageCounter counter(const features::CounterNeeds& needs) {
    return {
        {.options = {}, .thresholds = {}, .needs = needs, .site = {7}, .name = {}, .store = store_},
        clock_,
        logger_,
        state_};
  }
  static features::CounterNeeds needs_link_hosts() {
    return {{PieceType::kLinkHost, {parse_window("1h").value(), parse_window("14d").value()}}};
  }
  static Amounts one() {
    Amounts amounts;
    amounts.of(Measure::kMass) = 1;
    return amounts;
  }

  shingled::testing::ManualClock clock_;
  LevelLogger logger_;
  CountingState state_;
  std::shared_ptr<shingled::testing::FakeCounters> store_ =
      std::make_shared<shingled::testing::FakeCounters>();
};

TEST_F(MessageCounterTest, AsksNothingIfNobodyNeedsAnything) {
  const auto facts = counter({}).ask(kPieces, Direction::kIn, TimePoint::max());
  EXPECT_THAT(facts.pieces, IsEmpty());
  EXPECT_EQ(store_->questions(), 0U);
}

TEST_F(MessageCounterTest, AsksForWhatIsNeeded) {
  const MessageCounter asking = counter(needs_link_hosts());
  EXPECT_TRUE(asking.add(kPieces, Direction::kIn, one()));
  EXPECT_TRUE(asking.add(kPieces, Direction::kOut, one()));
  EXPECT_TRUE(asking.add(kPieces, Direction::kIn, one()));
  const auto facts = asking.ask(kPieces, Direction::kIn, TimePoint::max());
  ASSERT_EQ(facts.pieces.size(), 1U);
  ASSERT_NE(facts.needs, nullptr);
  EXPECT_EQ(*facts.needs, needs_link_hosts());
  EXPECT_EQ(facts.pieces[0].piece, kPieces[1]);
  EXPECT_TRUE(facts.pieces[0].known);
  ASSERT_EQ(facts.pieces[0].sums.size(), 2U);
  EXPECT_EQ(facts.pieces[0].sums[1].of(Measure::kMass), 2U);
  EXPECT_EQ(store_->questions(), 1U);
}

TEST_F(MessageCounterTest, DoesNotKnowWhatAFailingStoreWouldSay) {
  const MessageCounter asking = counter(needs_link_hosts());
  EXPECT_TRUE(asking.add(kPieces, Direction::kIn, one()));
  store_->fail(true);
  EXPECT_FALSE(asking.add(kPieces, Direction::kIn, one()));
  for (int i = 0; i < 3; ++i) {
    const auto facts = asking.ask(kPieces, Direction::kIn, TimePoint::max());
    ASSERT_EQ(facts.pieces.size(), 1U);
    EXPECT_FALSE(facts.pieces[0].known);
    EXPECT_THAT(facts.pieces[0].sums, IsEmpty());
    EXPECT_FALSE(asking.add(kPieces, Direction::kIn, one()));
  }
  EXPECT_EQ(state_.events.unknown.read(), 3U);
  EXPECT_EQ(state_.events.failures.read(), 4U);
  EXPECT_THAT(logger_.lines, ElementsAre(HasSubstr("error counters_away call=add error=\"the disk"),
                                         HasSubstr("error counters_away call=ask")));
  logger_.lines.clear();
  store_->fail(false);
  EXPECT_TRUE(asking.add(kPieces, Direction::kIn, one()));
  EXPECT_TRUE(asking.ask(kPieces, Direction::kIn, TimePoint::max()).pieces[0].known);
  EXPECT_THAT(logger_.lines,
              ElementsAre("info counters_back call=add", "info counters_back call=ask"));
}

TEST_F(MessageCounterTest, TellsTheNamesOfFrequentPieces) {
  std::vector<std::string> told;
  CounterOptions options;
  options.names_mass = 2;
  const MessageCounter naming(
      {.options = options,
       .thresholds = {},
       .needs = {},
       .site = {7},
       .name =
           [&](PieceType type, std::uint64_t shingle, std::string_view text) {
             const auto key = is_pair(type) ? pair_of({7}, Direction::kIn, type, "a@x", "b@y").key
                                            : counter_of({7}, Direction::kIn, type, text);
             EXPECT_EQ(shingle, key.shingle);
             told.emplace_back(text);
           },
       .store = store_},
      clock_, logger_, state_);
  const std::vector<mime::Piece> pieces = {{PieceType::kSender, "a@x", ""},
                                           {PieceType::kSenderRecipient, "a@x", "b@y"},
                                           {PieceType::kLinkHost, "h.example", ""}};
  EXPECT_TRUE(naming.add(pieces, Direction::kIn, one()));
  EXPECT_THAT(told, IsEmpty());
  EXPECT_TRUE(naming.add(std::span(pieces).last(2), Direction::kIn, one()));
  EXPECT_THAT(told, UnorderedElementsAre("a@x + b@y", "h.example"));
  told.clear();
  storage::counters::Addition recipients{
      .counters = {counter_of({7}, Direction::kIn, PieceType::kUniqueRecipients, "a@x")},
      .pairs = {},
      .amounts = {}};
  recipients.amounts.of(Measure::kMass) = 2;
  ASSERT_TRUE(store_->add(recipients, TimePoint::max()));
  EXPECT_TRUE(naming.add(std::span(pieces).subspan(1, 1), Direction::kIn, one()));
  EXPECT_THAT(told, UnorderedElementsAre("a@x", "a@x + b@y"));
}

TEST_F(MessageCounterTest, KnowsNothingAfterTheStoreIsClosed) {
  const MessageCounter asking = counter(needs_link_hosts());
  store_.reset();
  EXPECT_FALSE(asking.ask(kPieces, Direction::kIn, TimePoint::max()).pieces[0].known);
  EXPECT_FALSE(asking.add(kPieces, Direction::kIn, one()));
}

constexpr rules::Source kLookUps = {.key = "hits", .title = ""};
constexpr rules::Source kCounterRules = {.key = "counters", .title = "", .from_counters = true};

/// A message with a score of its own and one from the counters.
rules::Facts facts_of(double score, double from_counters) {
  rules::Facts facts;
  facts.bytes = 5000;
  facts.findings.push_back({.source = &kLookUps});
  facts.findings.back().evidence.push_back({.symbol = "A", .score = score});
  facts.findings.push_back({.source = &kCounterRules});
  facts.findings.back().evidence.push_back({.symbol = "B", .score = from_counters});
  return facts;
}

struct AmountCase {
  const char* why;
  double score;
  double from_counters;
  CounterJudge judge;
  bool failed;
  int spam;
  int ham;
};

TEST(JudgedAmounts, AreSpamOrHamOrNeither) {
  const CountThresholds plain{.ham_below = 1, .spam_from = 4};
  const AmountCase cases[] = {
      {"nothing known", 0, 0, CounterJudge::kWithoutCounters, false, 0, 1},
      {"just below spam", 3.9, 0, CounterJudge::kWithoutCounters, false, 0, 0},
      {"spam from the threshold on", 4, 0, CounterJudge::kWithoutCounters, false, 1, 0},
      {"the bound of ham is not ham", 1, 0, CounterJudge::kWithoutCounters, false, 0, 0},
      {"counters do not feed themselves", 0, 10, CounterJudge::kWithoutCounters, false, 0, 1},
      {"unless they are told to", 0, 10, CounterJudge::kFinal, false, 1, 0},
      {"good counters do not, either", 5, -10, CounterJudge::kWithoutCounters, false, 1, 0},
      {"what is not known is not ham", 0, 0, CounterJudge::kWithoutCounters, true, 0, 0},
      {"but enough is enough", 6, 0, CounterJudge::kWithoutCounters, true, 1, 0},
  };
  for (const AmountCase& c : cases) {
    SCOPED_TRACE(c.why);
    CountThresholds thresholds = plain;
    thresholds.judge = c.judge;
    const rules::Facts facts = facts_of(c.score, c.from_counters);
    rules::Verdict verdict = rules::judge(facts, {}, FailurePolicy::kAccept);
    verdict.failed = c.failed;
    const auto amounts = judged_amounts(facts, verdict, thresholds, 3);
    EXPECT_EQ(amounts.of(Measure::kMass), 1U);
    EXPECT_EQ(amounts.of(Measure::kRecipients), 3U);
    EXPECT_EQ(amounts.of(Measure::kBytes), 5000U);
    EXPECT_EQ(amounts.of(Measure::kSpam), static_cast<std::uint64_t>(c.spam));
    EXPECT_EQ(amounts.of(Measure::kHam), static_cast<std::uint64_t>(c.ham));
    EXPECT_EQ(amounts.of(Measure::kFailed), 0U);
  }
}

TEST(CountThresholds, TakeTheSpamOfTheActions) {
  CounterOptions options;
  const auto spam_from = [&](const ActionOptions& actions) {
    return CountThresholds::of(options, actions).spam_from;
  };
  EXPECT_EQ(spam_from({}), 4.0);
  EXPECT_EQ(spam_from({.reject = 9.0, .quarantine = 7.0, .add_header = {}}), 7.0);
  EXPECT_EQ(spam_from({.reject = {}, .add_header = {}}), std::nullopt);
  options.spam_from = 2.5;
  EXPECT_EQ(spam_from({}), 2.5);
}

}  // namespace
}  // namespace shingled::milter::counters
