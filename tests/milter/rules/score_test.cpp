#include "milter/rules/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::rules {
namespace {

using mime::PartKind;

std::vector<Symbol> symbols_of(const std::vector<Hit>& hits, const Facts& facts) {
  std::vector<Symbol> symbols;
  add_symbols(fuzzy_evidence(hits, facts.lookups), symbols);
  return symbols;
}

RuleOptions rule_with(double hits_limit, double weight) {
  RuleOptions rule;
  rule.flags = FlagMap({{"denied", 11, "FUZZY_DENIED", hits_limit, weight},
                        {"white", 13, "FUZZY_WHITE", 2.0, -10.0}});
  return rule;
}

double score_of(const Facts& facts, const RuleOptions& rule) {
  const auto hits = score_hits(facts, std::span(&rule, 1));
  return hits.empty() ? NAN : hits.front().score;
}

struct FormulaCase {
  const char* why;
  std::int32_t value;
  double hits_limit;
  float probability;
  double expected;
};

constexpr FormulaCase kFormula[] = {
    {"as rspamd 3.4 and 4.1 do it: value 7 of 10, certain", 7, 10, 1.0F, 0.9564},
    {"a value at the limit counts almost in full", 10, 10, 1.0F, 0.9913},
    {"half of the certainty gives half of the score", 10, 10, 0.75F, 0.4957},
    {"an answer at the bias means nothing", 10, 10, 0.5F, 0.0},
    {"below the bias is clamped, not negative", 10, 10, 0.25F, 0.0},
    {"above certainty is clamped", 10, 10, 2.0F, 0.9913},
    {"without a limit there is no score", 10, 0, 1.0F, 0.0},
    {"value zero", 0, 10, 1.0F, 0.0},
    {"a withdrawn report speaks for the message", -7, 10, 1.0F, -0.9564},
};

TEST(Score, FollowsTheFormula) {
  for (const FormulaCase& c : kFormula) {
    Facts facts;
    facts.lookups = {hit_lookup(PartKind::kText, c.probability, {{11, c.value}})};
    EXPECT_NEAR(score_of(facts, rule_with(c.hits_limit, 1.0)), c.expected, 0.0001) << c.why;
  }
}

TEST(Score, MultipliesTheWeightLast) {
  Facts facts;
  facts.lookups = {hit_lookup(PartKind::kText, 1.0F, {{11, 7}})};
  EXPECT_NEAR(score_of(facts, rule_with(10, 20)), 19.13, 0.01);
}

TEST(Score, OfSmallImagesFallsFasterWithCertaintyThanOfLargeOnes) {
  Facts facts;
  facts.lookups = {hit_lookup(PartKind::kImage, 0.9F, {{11, 100}}, 32 * 1024)};
  EXPECT_NEAR(score_of(facts, rule_with(10, 1)), 0.8 * std::pow(0.8, 8), 0.0001);
  facts.lookups = {hit_lookup(PartKind::kImage, 0.9F, {{11, 100}}, 32 * 1024 + 1)};
  EXPECT_NEAR(score_of(facts, rule_with(10, 1)), 0.8, 0.0001);
}

struct CompanyCase {
  const char* why;
  TextAmount text;
  float text_probability;  // 0 = no text hit
  double image_factor;
  double text_factor;
};

constexpr CompanyCase kCompany[] = {
    {"an image alone counts in full", TextAmount::kNone, 0.0F, 1.0, 0},
    {"an image beside a short unknown text", TextAmount::kShort, 0.0F, 0.9, 0},
    {"an image beside a long unknown text", TextAmount::kLong, 0.0F, 0.25, 0},
    {"text and image known: the text gains", TextAmount::kLong, 1.0F, 1.0, 1.1},
    {"an image beside a weak text match", TextAmount::kLong, 0.625F, 0.625, 1.1},
    {"the threshold of weak is exclusive", TextAmount::kLong, 0.75F, 1.0, 1.1},
};

TEST(Score, WeighsImagesByTheTextBesideThem) {
  for (const CompanyCase& c : kCompany) {
    Facts facts;
    facts.text = c.text;
    facts.lookups = {hit_lookup(PartKind::kImage, 1.0F, {{11, 100}})};
    if (c.text_probability > 0) {
      facts.lookups.push_back(hit_lookup(PartKind::kText, c.text_probability, {{11, 100}}));
    }
    const RuleOptions rule = rule_with(10, 1);
    const auto hits = score_hits(facts, std::span(&rule, 1));
    EXPECT_NEAR(hits.at(0).context, c.image_factor, 0.0001) << c.why;
    if (hits.size() > 1) {
      EXPECT_NEAR(hits[1].context, c.text_factor, 0.0001) << c.why;
    }
  }
}

TEST(Score, GivesEachFurtherFlagAHitOfTheSameProbability) {
  Facts facts;
  facts.lookups = {hit_lookup(PartKind::kText, 1.0F, {{11, 20}, {13, 3}, {99, 5}})};
  const RuleOptions rule = rule_with(10, 20);
  const auto hits = score_hits(facts, std::span(&rule, 1));
  ASSERT_EQ(hits.size(), 2U) << "flag 99 has no name here and is left out";
  EXPECT_EQ(hits[0].symbol, "FUZZY_DENIED");
  EXPECT_EQ(hits[1].symbol, "FUZZY_WHITE");
  EXPECT_DOUBLE_EQ(hits[0].certainty, hits[1].certainty);
  EXPECT_LT(hits[1].score, -9.9);
}

TEST(Score, NamesAnUnknownFlagAfterTheRuleOnRequest) {
  Facts facts;
  facts.lookups = {hit_lookup(PartKind::kText, 1.0F, {{99, 5}})};
  RuleOptions rule = rule_with(10, 20);
  rule.skip_unknown = false;
  const auto hits = score_hits(facts, std::span(&rule, 1));
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(hits[0].symbol, "FUZZY_UNKNOWN");
  EXPECT_EQ(hits[0].score, 0);
}

TEST(Score, DropsHitsBelowTheThresholdOfTheRule) {
  Facts facts;
  facts.lookups = {hit_lookup(PartKind::kText, 0.53125F, {{11, 100}})};
  RuleOptions rule = rule_with(10, 20);
  rule.weight_threshold = 0.1;
  const auto hits = score_hits(facts, std::span(&rule, 1));
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_TRUE(hits[0].dropped);
  EXPECT_THAT(symbols_of(hits, facts), ::testing::IsEmpty());
}

TEST(Score, CountsASymbolOnceByItsStrongestHit) {
  Facts facts;
  facts.lookups = {hit_lookup(PartKind::kText, 0.75F, {{11, 100}}),
                   hit_lookup(PartKind::kHtml, 1.0F, {{11, 100}})};
  const RuleOptions rule = rule_with(10, 20);
  const auto symbols = symbols_of(score_hits(facts, std::span(&rule, 1)), facts);
  ASSERT_EQ(symbols.size(), 1U);
  EXPECT_NEAR(symbols[0].score, 20, 0.001);
  EXPECT_EQ(symbols[0].hits, 2U);
}

TEST(Score, IgnoresALookupOfARuleThatDoesNotExist) {
  Facts facts;
  facts.lookups = {hit_lookup(PartKind::kText, 1.0F, {{11, 7}})};
  facts.lookups[0].rule_index = 5;
  const RuleOptions rule = rule_with(10, 1);
  EXPECT_THAT(score_hits(facts, std::span(&rule, 1)), ::testing::IsEmpty());
}

TEST(Score, ShowsItsCalculation) {
  Facts facts;
  facts.lookups = {hit_lookup(PartKind::kText, 1.0F, {{11, 7}})};
  const RuleOptions rule = rule_with(10, 20);
  EXPECT_EQ(score_hits(facts, std::span(&rule, 1))[0].arithmetic(),
            "0.96 (7 of 10) x 1.00 certain x 20.00 = 19.13");
}

}  // namespace
}  // namespace shingled::milter::rules
