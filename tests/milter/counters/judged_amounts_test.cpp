#include "milter/counters/judged_amounts.h"

#include <gtest/gtest.h>

namespace shingled::milter::counters {
namespace {

using storage::counters::Measure;

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
