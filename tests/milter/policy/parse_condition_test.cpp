// Covers milter/policy/parse_condition.cpp and milter/policy/condition_tokens.cpp. What is wrong
// with conditions is in check_condition_test.cpp.
#include "milter/policy/parse_condition.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "milter/policy/condition_tokens.h"
#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

using testing::parsed;

TEST(ConditionTokens, TakesATextApart) {
  ConditionTokens tokens("not(from.spam>=99% of 1,0)\t\xE2\x89\xA5 14d \xFF");
  std::string out;
  for (Token token = tokens.next(); token.kind != Token::Kind::kEnd; token = tokens.next())
    out += std::to_string(static_cast<int>(token.kind)) + ':' + std::string(token.text) + ' ';
  EXPECT_EQ(out, "1:not 5:( 1:from.spam 4:>= 2:99 3:% 1:of 2:1,0 6:) 8:\xE2\x89\xA5 2:14d 8:\xFF ");
  EXPECT_EQ(tokens.next().kind, Token::Kind::kEnd);
}

TEST(ParseCondition, ReadsACount) {
  const Atom atom = parsed("subject.mass >= 1000 in 10m").atom;
  EXPECT_EQ(atom.kind, Atom::Kind::kCount);
  EXPECT_EQ(atom.name, "subject");
  EXPECT_EQ(atom.measure, "mass");
  EXPECT_EQ(atom.op, Operator::kAtLeast);
  EXPECT_EQ(atom.number.whole(), 1000U);
  EXPECT_EQ(atom.window, *storage::counters::parse_window("10m"));
}

TEST(ParseCondition, ReadsAShareAndTheUsual) {
  const Atom share = parsed("link_domain.complaint > 0.3% of 1000 in 1d").atom;
  EXPECT_EQ(share.kind, Atom::Kind::kShare);
  EXPECT_EQ(share.number.millionths, 300'000U);
  EXPECT_EQ(share.of.whole(), 1000U);
  const Atom usual = parsed("user.mass >= 1.5x usual in 1h").atom;
  EXPECT_EQ(usual.kind, Atom::Kind::kUsual);
  EXPECT_EQ(usual.number.millionths, 1'500'000U);
}

TEST(ParseCondition, TakesADayWithoutAWindow) {
  EXPECT_EQ(parsed("from.mass >= 5"), parsed("from.mass >= 5 in 1d"));
}

TEST(ParseCondition, TakesAYearOfWhatPeopleSaid) {
  EXPECT_EQ(parsed("phrase.complainers >= 2"), parsed("phrase.complainers >= 2 in 365d"));
  EXPECT_FALSE(parsed("phrase.complainers >= 2") == parsed("phrase.complainers >= 2 in 1d"));
  EXPECT_EQ(parsed("phrase.complaint >= 2 in 90d").atom.window.count, 90U);
}

TEST(ParseCondition, ReadsOwnMeasuresAlone) {
  const Condition alone = parsed("phrase.own_complaint and not html");
  ASSERT_EQ(alone.parts.size(), 2U);
  EXPECT_EQ(alone.parts[0], parsed("phrase.own_complaint >= 100% of 1 in 365d"));
  EXPECT_EQ(parsed("phrase.own_rescue in 14d"), parsed("phrase.own_rescue >= 100% of 1 in 14d"));
  EXPECT_EQ(parsed("phrase.own_complaint >= 1").atom.kind, Atom::Kind::kCount);
}

TEST(ParseCondition, BindsAndTighterThanOr) {
  const Condition condition = parsed("A or B and not C");
  ASSERT_EQ(condition.kind, Condition::Kind::kOr);
  ASSERT_EQ(condition.parts.size(), 2U);
  ASSERT_EQ(condition.parts[1].kind, Condition::Kind::kAnd);
  EXPECT_EQ(condition.parts[1].parts[1].kind, Condition::Kind::kNot);
  EXPECT_EQ(parsed("(A or B) and C").kind, Condition::Kind::kAnd);
}

TEST(ParseCondition, KnowsThePlaceOfEachPart) {
  const std::string text = "local and ( from.spam >= 99 % of 100 in 14d or bounce )";
  const Condition condition = parsed(text);
  const auto at = [&](const Span& place) { return text.substr(place.offset, place.length); };
  EXPECT_EQ(at(condition.place), text);
  const Condition& either = condition.parts[1];
  EXPECT_EQ(at(either.place), "from.spam >= 99 % of 100 in 14d or bounce");
  const Atom& atom = either.parts[0].atom;
  EXPECT_EQ(at(either.parts[0].place), "from.spam >= 99 % of 100 in 14d");
  EXPECT_EQ(at(atom.name_place), "from");
  EXPECT_EQ(at(atom.measure_place), "spam");
  EXPECT_EQ(at(atom.value_place), "99 %");
  EXPECT_EQ(at(atom.of_place), "100");
}

TEST(ParseCondition, AllowsSomeBracketsAndNotMore) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "local" + std::string(depth, ')');
  };
  EXPECT_TRUE(std::holds_alternative<Condition>(parse_condition(nested(kBracketsMax))));
  const auto result = parse_condition(nested(kBracketsMax + 1));
  ASSERT_TRUE(std::holds_alternative<ConditionProblem>(result));
  const auto& problem = std::get<ConditionProblem>(result);
  EXPECT_EQ(problem.place, (Span{kBracketsMax, 1}));
  EXPECT_EQ(problem.what, "at most 32 brackets may be inside each other");
}

TEST(ParseCondition, AMegabyteOfBracketsIsTooLong) {
  for (const char sign : {'(', ')', '!', 'x', ' ', '\xFF'}) {
    const auto result = parse_condition(std::string(1 << 20, sign));
    ASSERT_TRUE(std::holds_alternative<ConditionProblem>(result));
    EXPECT_EQ(std::get<ConditionProblem>(result).what, "a condition has at most 4096 bytes");
  }
  const auto result = parse_condition(std::string(kConditionBytesMax, '('));
  EXPECT_TRUE(std::holds_alternative<ConditionProblem>(result));
}

TEST(ParseCondition, ReadsALongRow) {
  std::string text = "A";
  while (text.size() + 6 <= kConditionBytesMax) text += " and A";
  EXPECT_EQ(parsed(text).parts.size(), 1U + (text.size() - 1) / 6);
}

}  // namespace
}  // namespace shingled::milter::policy
