#include "milter/rules/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::rules {
namespace {

using ::testing::ElementsAre;

constexpr Source kStrongest = {.key = "counters", .title = {}, .strongest_shown = true};
constexpr Source kFirst = {.key = "model", .title = {}, .separator = ","};

/// Evidence with a score of 0 is kDropped.
Findings findings_of(const Source& source, const std::vector<double>& scores) {
  Findings findings;
  findings.source = &source;
  for (const double score : scores) {
    findings.evidence.push_back(made_up_evidence("MADE_UP", score));
    if (score == 0) findings.evidence.back().effect = Evidence::Effect::kDropped;
  }
  return findings;
}

std::vector<std::size_t> shown(const Findings& findings, std::size_t count_max) {
  std::vector<std::size_t> indices;
  for (const Evidence* item : shown_evidence(findings, count_max).evidence) {
    indices.push_back(static_cast<std::size_t>(item - findings.evidence.data()));
  }
  return indices;
}

TEST(ShownEvidence, IsAllInOrderOrTheStrongest) {
  const Findings few = findings_of(kStrongest, {1, 0, 3, -2});
  EXPECT_THAT(shown(few, 3), ElementsAre(0, 2, 3));
  EXPECT_EQ(shown_evidence(few, 3).more, 0U);
  const Findings many = findings_of(kStrongest, {1, 0, 3, -2, 3});
  EXPECT_THAT(shown(many, 3), ElementsAre(2, 4, 3));
  EXPECT_EQ(shown_evidence(many, 3).more, 1U);
}

TEST(ShownEvidence, IsTheFirstIfTheSourceHasItsOwnOrder) {
  const Findings many = findings_of(kFirst, {1, 0, 3, -2, 3});
  EXPECT_THAT(shown(many, 2), ElementsAre(0, 2));
  EXPECT_EQ(shown_evidence(many, 2).more, 2U);
  EXPECT_EQ(shown_evidence(many, 0).more, 4U);
}

TEST(LogText, NamesShownEvidenceAndTheNumberOfTheRest) {
  EXPECT_EQ(log_text(findings_of(kFirst, {})), "");
  EXPECT_EQ(log_text(findings_of(kFirst, {0})), "");
  EXPECT_EQ(log_text(findings_of(kStrongest, {1, 2})), "MADE_UP:3 of 4, MADE_UP:3 of 4");
  const std::string text = log_text(findings_of(kFirst, std::vector<double>(40, 1)));
  EXPECT_TRUE(text.ends_with(",MADE_UP:3 of 4,and 8 more")) << text;
}

TEST(LogFindings, AddsOnlyFieldsThatAreNotEmpty) {
  Findings findings = findings_of(kFirst, {});
  LogLine line("message");
  log_findings(findings, line);
  EXPECT_EQ(line.text(), "message");
  findings = findings_of(kFirst, {1, 2});
  findings.notes = {"too old", "too new"};
  log_findings(findings, line);
  EXPECT_EQ(line.text(),
            "message model=\"MADE_UP:3 of 4,MADE_UP:3 of 4\" model_notes=\"too old, too new\"");
}

TEST(Symbols, OfEverySourceCountTheirStrongestEvidence) {
  std::vector<Symbol> symbols = {{"MADE_UP", 2, 1}};
  add_symbols(findings_of(kFirst, {1, 0, -3}).evidence, symbols);
  const std::vector<Evidence> other = {made_up_evidence("OTHER", 0.5)};
  add_symbols(other, symbols);
  EXPECT_EQ(symbols, (std::vector<Symbol>{{"MADE_UP", -3, 3}, {"OTHER", 0.5, 1}}));
}

TEST(Evidence, OfAnySourceCountsInTheSameWay) {
  Facts facts;
  facts.lookups = {hit_lookup(mime::PartKind::kText, 1.0F, {{11, 3}})};
  facts.findings = {findings_of(kFirst, {2.5})};
  const RuleOptions rule;
  const Verdict verdict = judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept);
  ASSERT_EQ(verdict.symbols.size(), 2U);
  EXPECT_EQ(verdict.symbols[1], (Symbol{"MADE_UP", 2.5, 1}));
  EXPECT_DOUBLE_EQ(verdict.score, verdict.symbols[0].score + 2.5);

  facts.findings[0].score_max = 1;
  const Verdict held = judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept);
  EXPECT_DOUBLE_EQ(held.score, verdict.score - 1.5) << "a source may bound its score";
}

TEST(Evidence, OfAnySourceMayBeMissing) {
  Facts facts;
  facts.findings = {findings_of(kFirst, {3})};
  facts.findings[0].gaps = {{"counters unknown: Redis is away", 5.0}};
  EXPECT_FALSE(judge(facts, {}, {}, FailurePolicy::kTempfail).failed)
      << "8 is only enough for a header";
  facts.findings[0].gaps[0].score_max = 7;
  const Verdict verdict = judge(facts, {}, {}, FailurePolicy::kTempfail);
  EXPECT_EQ(verdict.action, Action::kTempfail);
  EXPECT_EQ(verdict.reason, "counters unknown: Redis is away");
}

}  // namespace
}  // namespace shingled::milter::rules
