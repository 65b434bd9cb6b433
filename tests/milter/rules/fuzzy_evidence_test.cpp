#include "milter/rules/fuzzy_evidence.h"

#include <gtest/gtest.h>

#include <memory>

#include "milter/rules/hit_strength.h"
#include "milter/rules/verdict.h"
#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::rules {
namespace {

TEST(FuzzyEvidence, DescribesAHitInEachForm) {
  Facts facts;
  facts.lookups = {hit_lookup(mime::PartKind::kText, 1.0F, {{11, 7}})};
  RuleOptions rule;
  rule.flags = FlagMap({{"denied", 11, "FUZZY_DENIED", 10.0, 20.0}});
  const Findings findings = fuzzy_findings(facts, std::span(&rule, 1), {});
  EXPECT_EQ(findings.source, &kFuzzySource);
  EXPECT_TRUE(findings.gaps.empty());
  ASSERT_EQ(findings.evidence.size(), 1U);
  const Evidence& item = findings.evidence[0];
  EXPECT_EQ(item.symbol, "FUZZY_DENIED");
  EXPECT_EQ(item.part, "1");
  EXPECT_NEAR(item.score, 19.13, 0.01);
  const Explanation explanation = item.explanation();
  EXPECT_EQ(explanation.log, "FUZZY_DENIED:11:7:1.00:local/1:ababababab");
  EXPECT_EQ(explanation.header, "FUZZY_DENIED; flag=11 value=7 prob=1.00 digest=ababababab");
  EXPECT_EQ(explanation.arithmetic, "0.96 (7 of 10) x 1.00 certain x 20.00 = 19.13");
  ASSERT_EQ(explanation.details.size(), 15U);
  EXPECT_EQ(explanation.details[1].name, "flag");
  EXPECT_EQ(std::get<std::int64_t>(explanation.details[1].value), 11);
}

TEST(FuzzyEvidence, OfWhatIsQuotedIsShownAndCountsNothing) {
  RuleOptions rule;
  rule.flags =
      FlagMap({{"denied", 11, "FUZZY_DENIED", 10.0, 20.0}, {"white", 12, "WHITE", 10, -20}});
  Facts facts;
  facts.lookups = {hit_lookup(mime::PartKind::kText, 0.96875F, {{11, 7}}),
                   hit_lookup(mime::PartKind::kText, 0.96875F, {{12, 7}})};
  for (Lookup& lookup : facts.lookups) lookup.hash.quoted = true;
  const Findings findings = fuzzy_findings(facts, std::span(&rule, 1), {});
  ASSERT_EQ(findings.evidence.size(), 2U);
  for (const Evidence& item : findings.evidence) {
    EXPECT_EQ(item.score, 0) << item.symbol << ": it speaks neither for nor against";
    EXPECT_EQ(item.effect, Evidence::Effect::kSpared) << item.symbol;
  }
  EXPECT_EQ(findings.evidence[0].explanation().log,
            "FUZZY_DENIED:11:7:0.97:local/1:ababababab:quoted");
  EXPECT_EQ(findings.evidence[0].explanation().header,
            "FUZZY_DENIED; flag=11 value=7 prob=0.97 digest=ababababab quoted");
  EXPECT_NE(findings.evidence[0].explanation().arithmetic.find("quoted"), std::string::npos);
  std::vector<Symbol> symbols;
  add_symbols(findings.evidence, symbols);
  EXPECT_TRUE(symbols.empty());
}

// Its own words are part of the digest, so the message is the one that was taught.
TEST(FuzzyEvidence, OfTheDigestOfAWholeBodyCountsWhateverItQuotes) {
  Lookup lookup = hit_lookup(mime::PartKind::kText, 1.0F, {{11, 7}});
  lookup.hash.quoted = true;
  EXPECT_FALSE(lookup.is_quoted());
  lookup.hash.place = mime::PartPlace::kText;
  EXPECT_TRUE(lookup.is_quoted()) << "of an attached message";
  lookup = hit_lookup(mime::PartKind::kHtmlStructure, 1.0F, {{11, 7}});
  lookup.hash.quoted = true;
  EXPECT_TRUE(lookup.is_quoted()) << "a structure has no words";
  lookup = hit_lookup(mime::PartKind::kText, 0.96875F, {{11, 7}});
  EXPECT_FALSE(lookup.is_quoted());
  lookup.hash.quoted = true;
  EXPECT_TRUE(lookup.is_quoted()) << "only similar";
}

TEST(FuzzyEvidence, GivesNoStandingToWhatIsNotQuoted) {
  RuleOptions rule;
  rule.flags = FlagMap({{"denied", 11, "FUZZY_DENIED", 10.0, 20.0}});
  Facts facts;
  facts.text = TextAmount::kLong;
  facts.lookups = {hit_lookup(mime::PartKind::kRobust, 0.96875F, {{11, 7}}),
                   hit_lookup(mime::PartKind::kAttachment, 1.0F, {{11, 20}})};
  EXPECT_EQ(hit_strengths(facts, std::span(&rule, 1))[1], HitStrength::kFull) << "of a known body";
  facts.lookups[0].hash.quoted = true;
  EXPECT_EQ(hit_strengths(facts, std::span(&rule, 1))[1], HitStrength::kMarks);
}

TEST(FuzzyEvidence, IsDroppedIfItIsTooWeak) {
  Facts facts;
  facts.lookups = {hit_lookup(mime::PartKind::kText, 0.53125F, {{11, 100}})};
  RuleOptions rule;
  rule.weight_threshold = 0.1;
  const Findings findings = fuzzy_findings(facts, std::span(&rule, 1), {});
  ASSERT_EQ(findings.evidence.size(), 1U);
  EXPECT_EQ(findings.evidence[0].effect, Evidence::Effect::kDropped);
}

TEST(FuzzyEvidence, ReportsHashesThatWereNotLookedUp) {
  Facts facts;
  facts.lookups = {failed_lookup(Lookup::Outcome::kTimeout)};
  facts.unasked = 2;
  facts.incomplete = true;
  facts.defects = {"part limit reached"};
  const Findings findings = fuzzy_findings(facts, {}, {});
  ASSERT_EQ(findings.gaps.size(), 3U);
  EXPECT_EQ(findings.gaps[0].text, "1 of 1 look-ups failed, first timeout of rule remote");
  EXPECT_EQ(findings.gaps[1].text, "2 of 3 look-ups not asked");
  EXPECT_EQ(findings.gaps[2].text, "analysis incomplete: part limit reached");
}

TEST(FuzzyEvidence, OutlivesTheLookup) {
  auto lookups = std::make_unique<std::vector<Lookup>>();
  lookups->push_back(hit_lookup(mime::PartKind::kText, 0.9375F, {{12, 9}}));
  Facts facts;
  facts.lookups = *lookups;
  const RuleOptions rule;
  const std::vector<Evidence> evidence =
      fuzzy_evidence(score_hits(facts, std::span(&rule, 1)), *lookups);
  lookups.reset();
  ASSERT_EQ(evidence.size(), 1U);
  EXPECT_EQ(evidence[0].part, "1");
  EXPECT_EQ(evidence[0].explanation().log, "FUZZY_PROB:12:9:0.94:local/1:ababababab");
}

TEST(FuzzyEvidence, OfManyHitsCostsLinearTime) {
  Facts facts;
  facts.lookups.assign(20'000, hit_lookup(mime::PartKind::kText, 1.0F, {{11, 20}}));
  const RuleOptions rule;
  SystemClock clock;
  const TimePoint start = clock.now();
  const Findings findings = fuzzy_findings(facts, std::span(&rule, 1), {});
  std::vector<Symbol> symbols;
  add_symbols(findings.evidence, symbols);
  // Takes 40 ms. If each hit looked at all others, it would take 20 s.
  EXPECT_LT(clock.now() - start, std::chrono::seconds(3));
  ASSERT_EQ(symbols.size(), 1U);
  EXPECT_EQ(symbols[0].hits, 20'000U);
}

using mime::PartKind;
using mime::PartPlace;

/// A hit of part `index`; flag 11 counts against the message, 13 for it.
Lookup hit_of(std::uint32_t index, PartPlace place, PartKind kind, std::uint32_t flag) {
  Lookup lookup = hit_lookup(kind, 1.0F, {{flag, 100}});
  lookup.hash.index = index;
  lookup.hash.place = place;
  return lookup;
}

struct WhiteCase {
  const char* why;
  std::vector<Lookup> lookups;
  double score;
  Action action;
};

const WhiteCase kCases[] = {
    {"a good body speaks for the message",
     {hit_of(1, PartPlace::kBody, PartKind::kText, 13),
      hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 11)},
     9.99 - 10,
     Action::kPass},
    {"a good text attached to spam does not speak for the spam",
     {hit_of(1, PartPlace::kBody, PartKind::kText, 11),
      hit_of(2, PartPlace::kText, PartKind::kText, 13)},
     20,
     Action::kReject},
    {"a good file beside spam does not speak for the spam",
     {hit_of(1, PartPlace::kBody, PartKind::kHtml, 11),
      hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 13),
      hit_of(3, PartPlace::kAttachment, PartKind::kAttachment, 13)},
     20,
     Action::kReject},
    {"a good file cancels hits against itself",
     {hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 11),
      hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 13)},
     0,
     Action::kPass},
    {"a good file does not speak for the rest",
     {hit_of(2, PartPlace::kArchive, PartKind::kAttachment, 13)},
     0,
     Action::kPass},
};

TEST(White, OfAPartOutsideTheBodySpeaksOnlyForItsPart) {
  RuleOptions rule;
  rule.flags = FlagMap(
      {{"denied", 11, "FUZZY_DENIED", 10.0, 20.0}, {"white", 13, "FUZZY_WHITE", 2.0, -10.0}});
  for (const auto& [why, lookups, score, action] : kCases) {
    Facts facts;
    facts.lookups = lookups;
    facts.text = TextAmount::kLong;
    const Verdict verdict = judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept);
    EXPECT_NEAR(verdict.score, score, 0.001) << why;
    EXPECT_EQ(verdict.action, action) << why;
  }
}

TEST(White, SparesAtMostItsOwnAmount) {
  RuleOptions rule;
  rule.flags = FlagMap(
      {{"denied", 11, "FUZZY_DENIED", 10.0, 20.0}, {"white", 13, "FUZZY_WHITE", 2.0, -3.0}});
  Facts facts;  // without a text the file is the message, so its score is not limited
  facts.lookups = {hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 11),
                   hit_of(2, PartPlace::kAttachment, PartKind::kAttachment, 13)};
  const Verdict verdict = judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept);
  EXPECT_NEAR(verdict.score, 17, 0.001);
  const Findings findings = fuzzy_findings(facts, std::span(&rule, 1), {});
  EXPECT_EQ(findings.evidence[0].explanation().arithmetic,
            "1.00 (100 of 10) x 1.00 certain x 20.00 = 20.00, 3.00 spared by a white hit");
  EXPECT_EQ(findings.evidence[1].explanation().arithmetic,
            "1.00 (100 of 2) x 1.00 certain x -3.00 = -3.00, for its own part alone");
}

}  // namespace
}  // namespace shingled::milter::rules
