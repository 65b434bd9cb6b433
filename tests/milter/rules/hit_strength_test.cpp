#include "milter/rules/hit_strength.h"

#include <gtest/gtest.h>

#include "milter/rules/verdict.h"
#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::rules {
namespace {

using mime::PartKind;
using mime::PartPlace;

constexpr float kNone = -1;  // not asked
constexpr float kMiss = 0;

/// The answers of the storage for each hash of a message. Its list counts against messages.
struct StrengthCase {
  const char* why;
  float text;
  float robust;
  float file;
  bool common;
  TextAmount amount;
  Action action;
};

constexpr StrengthCase kCases[] = {
    {"the same text", 1, kMiss, kNone, false, TextAmount::kLong, Action::kReject},
    {"the same text of common words", 1, 1, kNone, true, TextAmount::kLong, Action::kReject},
    {"the same except links and numbers", kMiss, 1, kNone, false, TextAmount::kLong,
     Action::kReject},
    {"nearly the same except links and numbers", kMiss, 0.94F, kNone, false, TextAmount::kLong,
     Action::kReject},
    {"near in both forms", 0.8F, 0.8F, kNone, false, TextAmount::kLong, Action::kReject},
    {"near in its words, not in the robust form", 0.95F, kMiss, kNone, false, TextAmount::kLong,
     Action::kAddHeader},
    {"near only in the robust form", kMiss, 0.85F, kNone, false, TextAmount::kLong,
     Action::kAddHeader},
    {"a storage without robust forms: very near", 0.95F, kNone, kNone, false, TextAmount::kLong,
     Action::kReject},
    {"a storage without robust forms: near", 0.85F, kNone, kNone, false, TextAmount::kLong,
     Action::kAddHeader},
    {"near, with common words", 0.85F, 0.97F, kNone, true, TextAmount::kLong, Action::kPass},
    {"very near, with common words", 0.95F, 0.97F, kNone, true, TextAmount::kLong,
     Action::kAddHeader},
    {"the same except numbers, with common words", 0.95F, 1, kNone, true, TextAmount::kLong,
     Action::kAddHeader},
    {"common words, and a storage without robust forms", 0.85F, kNone, kNone, true,
     TextAmount::kLong, Action::kPass},
    {"a file beside a text", kMiss, kMiss, 1, false, TextAmount::kLong, Action::kAddHeader},
    {"a file beside a short text", kNone, kNone, 1, false, TextAmount::kShort, Action::kAddHeader},
    {"a file without any text is the message", kNone, kNone, 1, false, TextAmount::kNone,
     Action::kReject},
    {"a file and a text that is near", 0.8F, kMiss, 1, false, TextAmount::kLong, Action::kReject},
    {"a file and a text of common words", 0.8F, kMiss, 1, true, TextAmount::kLong,
     Action::kAddHeader},
};

Lookup answer(PartKind kind, PartPlace place, float probability, bool common) {
  Lookup lookup = hit_lookup(kind, probability, {{11, 100}}, 100'000);
  lookup.hash.place = place;
  lookup.hash.common = common;
  if (probability == kMiss) lookup.outcome = Lookup::Outcome::kMiss;
  return lookup;
}

TEST(HitStrength, OfAHitDependsOnTheOtherHits) {
  RuleOptions rule;
  rule.flags = FlagMap({{"denied", 11, "FUZZY_DENIED", 10.0, 40.0}});
  for (const StrengthCase& c : kCases) {
    Facts facts;
    facts.text = c.amount;
    if (c.text != kNone) {
      facts.lookups.push_back(answer(PartKind::kText, PartPlace::kBody, c.text, c.common));
    }
    if (c.robust != kNone) {
      facts.lookups.push_back(answer(PartKind::kRobust, PartPlace::kBody, c.robust, c.common));
    }
    if (c.file != kNone) {
      facts.lookups.push_back(answer(PartKind::kAttachment, PartPlace::kAttachment, c.file, false));
    }
    const Verdict verdict = judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept);
    EXPECT_EQ(verdict.action, c.action) << c.why << ": " << verdict.reason;
    EXPECT_EQ(verdict.reason.find("held") == std::string::npos, c.action == Action::kReject)
        << c.why << ": " << verdict.reason;
  }
}

TEST(HitStrength, OfAHitIgnoresHitsOfOtherRules) {
  const std::vector<RuleOptions> rules(2);
  Facts facts;
  facts.text = TextAmount::kLong;
  facts.lookups = {answer(PartKind::kText, PartPlace::kBody, 0.95F, false),
                   answer(PartKind::kRobust, PartPlace::kBody, kMiss, false),
                   answer(PartKind::kRobust, PartPlace::kBody, 0.8F, false)};
  facts.lookups[2].rule_index = 1;
  const auto of = hit_strengths(facts, rules);
  EXPECT_EQ(of[0], HitStrength::kMarks);
  EXPECT_EQ(of[2], HitStrength::kMarks);
}

TEST(HitStrength, OfSeveralListsTogetherIsTheStrongest) {
  const RuleOptions rule;
  Facts facts;
  facts.text = TextAmount::kLong;
  facts.lookups = {answer(PartKind::kText, PartPlace::kBody, 0.95F, false),
                   answer(PartKind::kRobust, PartPlace::kBody, kMiss, false)};
  facts.lookups[0].match.flag_count = 2;
  facts.lookups[0].match.flags[1] = {12, 100};
  Verdict verdict = judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept);
  EXPECT_EQ(verdict.symbols.size(), 2U);
  EXPECT_EQ(verdict.action, Action::kAddHeader);
  EXPECT_NEAR(verdict.score, 9.99, 0.001);
}

TEST(HitStrength, IsShownIfItLimitsAScore) {
  RuleOptions rule;
  rule.flags = FlagMap({{"denied", 11, "FUZZY_DENIED", 10.0, 20.0}});
  Facts facts;
  facts.text = TextAmount::kLong;
  facts.lookups = {answer(PartKind::kAttachment, PartPlace::kAttachment, 1, false)};
  const Verdict verdict = judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept);
  EXPECT_EQ(
      fuzzy_findings(facts, std::span(&rule, 1), {}).evidence[0].explanation().arithmetic,
      "1.00 (100 of 10) x 1.00 certain x 20.00 = 20.00, held at 9.99: by itself it only marks");
  EXPECT_EQ(verdict.reason,
            "score 9.99 reaches add_header 4.00, held: the hits do not identify the message");
}

TEST(HitStrength, LimitsScoresBelowTheWeakestActionThatStopsAMessage) {
  EXPECT_NEAR(hold_scores({}).marks, 9.99, 1e-9);
  EXPECT_NEAR(hold_scores({}).noted, 3.99, 1e-9);
  EXPECT_NEAR(hold_scores({20.0, 15.0, 10.0, 7.0, 4.0}).marks, 6.99, 1e-9);
  EXPECT_NEAR(hold_scores({{}, 5.0, {}, {}, {}}).noted, 4.99, 1e-9);
  EXPECT_GT(hold_scores({{}, {}, {}, {}, {}}).marks, 1e9) << "without actions no score is limited";
  EXPECT_EQ(hold_scores({{}, 0.0, {}, {}, {}}).marks, 0) << "never negative";
}

}  // namespace
}  // namespace shingled::milter::rules
