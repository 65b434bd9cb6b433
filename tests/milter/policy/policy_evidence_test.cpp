#include "milter/policy/policy_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "milter/rules/verdict.h"
#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

using storage::counters::Measure;
using testing::compiled;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::rule;
using ::testing::SizeIs;

Sums amounts(std::uint64_t mass, std::uint64_t spam = 0) {
  Sums out;
  out.of(Measure::kMass) = mass;
  out.of(Measure::kSpam) = spam;
  return out;
}

CheckContext with_symbols(std::vector<std::string> symbols) {
  CheckContext context;
  context.symbols = std::move(symbols);
  return context;
}

class PolicyEvidence : public ::testing::Test {
 protected:
  void asked(const CompiledRules& rules) {
    facts_.counters.needs = std::make_shared<const CounterNeeds>(rules.needs);
  }
  void count(mime::Piece piece, const Sums& sums, bool known = true) {
    const auto* need = features::find_need(*facts_.counters.needs, piece.type);
    ASSERT_NE(need, nullptr);
    facts_.counters.pieces.push_back(
        {std::move(piece), known, std::vector<Sums>(need->windows.size(), sums)});
  }
  void add_findings(const Policy& policy) {
    for (rules::Findings& findings : policy.judge(facts_))
      facts_.findings.push_back(std::move(findings));
  }

  rules::Facts facts_;
};

TEST_F(PolicyEvidence, NamesTheNumbersThatDecided) {
  const CompiledRules rules =
      compiled({rule("SENDER_SPAMMY", "from.spam >= 99% of 100 in 14d", 1.5)});
  asked(rules);
  count({PieceType::kFrom, "a@x", ""}, amounts(188, 187));
  const auto findings = Policy(rules).judge(facts_);
  EXPECT_THAT(findings[0].evidence, IsEmpty());
  ASSERT_THAT(findings[1].evidence, SizeIs(1));
  EXPECT_TRUE(findings[1].source->from_counters);
  EXPECT_EQ(findings[1].asked, 1U);
  const rules::Evidence& item = findings[1].evidence[0];
  EXPECT_EQ(item.symbol, "SENDER_SPAMMY");
  EXPECT_EQ(item.score, 1.5);
  constexpr auto kLine =
      "SENDER_SPAMMY +1.50: from.spam 187 of 188 (99.5 %) in 14d; rule: 99% of 100";
  EXPECT_EQ(item.explanation().log, kLine);
  EXPECT_EQ(item.explanation().header, kLine);
}

TEST_F(PolicyEvidence, NoTextOfAMailIsInTheLog) {
  constexpr auto kMarker = "marker\xc3\xa4 of a mail";
  // Hosts and checksums; no text of a mail is one of these.
  const std::set<PieceType> may_be = {
      PieceType::kLinkHost, PieceType::kLinkDomain, PieceType::kForeignHost, PieceType::kDkimDomain,
      PieceType::kText,     PieceType::kRobustText, PieceType::kStructure,   PieceType::kAttachment,
      PieceType::kImage,    PieceType::kStoredHash};
  std::size_t tried = 0;
  for (const PieceTypeRow& row : piece_types()) {
    if (row.kind == PieceTypeRow::Kind::kUnique || is_of_report(row.type)) continue;
    const std::string condition = std::string(row.name) + ".mass >= 1 in 1d";
    if (!std::holds_alternative<Condition>(parse_condition(condition))) continue;
    const CompiledRules rules = compiled({rule("SEEN", condition, 30)});
    facts_ = {};
    asked(rules);
    count({row.type, kMarker, is_pair(row.type) ? kMarker : ""}, amounts(3));
    add_findings(Policy(rules));
    ASSERT_THAT(facts_.findings[1].evidence, SizeIs(1)) << row.name;
    const std::string log = rules::log_text(facts_.findings[1]);
    EXPECT_THAT(log, HasSubstr(std::string(row.name) + ".mass 3 in 1d")) << "named by its type";
    if (may_be.contains(row.type)) continue;
    EXPECT_THAT(log, Not(HasSubstr("marker"))) << row.name;
    ++tried;
  }
  EXPECT_GT(tried, 30U);
}

TEST_F(PolicyEvidence, CountsInTheScoreButNotInWhatTheMessageCountsAs) {
  const CompiledRules rules =
      compiled({rule("LOCAL", "local", 2), rule("FIRST", "sender.mass = 0 in 1d", 3),
                rule("BOTH", "LOCAL and FIRST", 4)});
  asked(rules);
  count({PieceType::kSender, "a@x", ""}, amounts(0));
  facts_.features.set_yes(features::Feature::kLocal, true);
  add_findings(Policy(rules));
  EXPECT_EQ(rules::judge(facts_, {}, FailurePolicy::kAccept).score, 9);
  EXPECT_EQ(rules::score_without_counters(facts_), 2);
}

TEST_F(PolicyEvidence, ARuleInShadowIsShownAndCountedWithoutEffect) {
  Rule quiet = rule("QUIET", "local", 20);
  quiet.action = rules::Action::kReject;
  quiet.shadow = true;
  facts_.features.set_yes(features::Feature::kLocal, true);
  const auto hits = std::make_shared<EventCount>();
  add_findings(Policy(compiled({quiet}), {hits}));
  const rules::Verdict verdict = rules::judge(facts_, {}, FailurePolicy::kAccept);
  EXPECT_EQ(verdict.score, 0);
  EXPECT_EQ(verdict.action, rules::Action::kPass);
  EXPECT_THAT(verdict.symbols, IsEmpty());
  EXPECT_EQ(hits->read(), 1U);
  EXPECT_THAT(rules::log_text(facts_.findings[0]),
              HasSubstr("QUIET +20.00 reject (shadow): local"));
}

TEST_F(PolicyEvidence, TheStrongestActionOfRulesAndThresholdsWins) {
  Rule weak = rule("WEAK", "local", std::nullopt);
  weak.action = rules::Action::kTempfail;
  Rule strong = rule("STRONG", "local", 1);
  strong.action = rules::Action::kQuarantine;
  strong.remedy = "change the password";
  facts_.features.set_yes(features::Feature::kLocal, true);
  add_findings(Policy(compiled({weak, strong})));
  ActionOptions actions;
  actions.reject = 5;
  actions.quarantine.reset();
  rules::Verdict verdict = rules::judge(facts_, actions, FailurePolicy::kAccept);
  EXPECT_EQ(verdict.action, rules::Action::kQuarantine);
  EXPECT_EQ(verdict.reason, "STRONG +1.00 quarantine: local; change the password");
  actions.reject = 1;
  verdict = rules::judge(facts_, actions, FailurePolicy::kAccept);
  EXPECT_EQ(verdict.action, rules::Action::kReject);
  EXPECT_THAT(verdict.reason, HasSubstr("reaches reject"));
}

TEST_F(PolicyEvidence, SeesTheSymbolsOfOtherSources) {
  const Policy policy(
      compiled({rule("BOTH", "FUZZY_PROB or local", 4), rule("CLEAN", "not FUZZY_PROB", -1)},
               with_symbols({"FUZZY_PROB"})));
  static constexpr rules::Source kOther = {.key = "other", .title = {}};
  facts_.findings.emplace_back().source = &kOther;
  facts_.findings[0].gaps.push_back({.text = "something is not known"});
  EXPECT_THAT(policy.judge(facts_)[0].evidence, IsEmpty()) << "CLEAN is unknown";
  facts_.findings[0].gaps.clear();
  ASSERT_THAT(policy.judge(facts_)[0].evidence, SizeIs(1));
  EXPECT_EQ(policy.judge(facts_)[0].evidence[0].symbol, "CLEAN");
  facts_.findings[0].evidence.emplace_back().symbol = "FUZZY_PROB";
  ASSERT_THAT(policy.judge(facts_)[0].evidence, SizeIs(1));
  EXPECT_EQ(policy.judge(facts_)[0].evidence[0].symbol, "BOTH");
}

TEST_F(PolicyEvidence, DoesNotTellRecipientsOfEachOther) {
  const CompiledRules rules = compiled({rule("KNOWN", "recipient.mass >= 5 in 1d")});
  asked(rules);
  count({PieceType::kRecipient, "secret@x", ""}, amounts(9));
  const rules::Explanation explanation =
      Policy(rules).judge(facts_)[1].evidence.at(0).explanation();
  EXPECT_THAT(explanation.arithmetic, HasSubstr("[secret@x]"));
  EXPECT_THAT(explanation.header, Not(HasSubstr("secret")));
}

TEST_F(PolicyEvidence, WhatWasLeftOutOrNotAskedIsUnknown) {
  const CompiledRules rules = compiled({rule("NONE", "not link_domain.mass >= 5 in 1d", -2),
                                        rule("NEW", "sender.mass = 0 in 1d", 1)});
  EXPECT_THAT(Policy(rules).judge(facts_)[1].evidence, IsEmpty()) << "nothing was asked";
  asked(rules);
  count({PieceType::kLinkDomain, "x.example", ""}, amounts(1));
  count({PieceType::kSender, "a@x", ""}, amounts(0), false);
  ASSERT_THAT(Policy(rules).judge(facts_)[1].evidence, SizeIs(1));
  facts_.counters.left_out = true;
  EXPECT_THAT(Policy(rules).judge(facts_)[1].evidence, IsEmpty());
}

TEST_F(PolicyEvidence, KnowsItsNearMisses) {
  const CompiledRules rules = compiled({rule("MANY", "sender.mass >= 100 in 1d")});
  asked(rules);
  count({PieceType::kSender, "a@x", ""}, amounts(60));
  const Policy policy(rules);
  add_findings(policy);
  EXPECT_THAT(policy.near_misses(facts_), ElementsAre("MANY: sender.mass 60 in 1d; rule: 100"));
}

/// Puts rules in force.
std::vector<std::shared_ptr<EventCount>> used(RuleHits& hits, const CompiledRules& rules) {
  auto counts = hits.counts_for(rules);
  hits.use(rules, counts);
  return counts;
}

TEST(RuleHits, GoOnAfterAReloadAndForgetRulesThatAreGone) {
  RuleHits hits;
  const auto first = used(hits, compiled({rule("A", "local"), rule("B", "html")}));
  ASSERT_EQ(first.size(), 2U);
  first[0]->add(3);
  Rule shadow = rule("A", "local");
  shadow.shadow = true;
  const auto same = used(hits, compiled({rule("A", "bounce"), rule("C", "html")}));
  EXPECT_EQ(same[0]->read(), 3U);
  EXPECT_EQ(same[1]->read(), 0U);
  const auto in_shadow = used(hits, compiled({shadow}));
  EXPECT_EQ(in_shadow[0]->read(), 0U);
  EXPECT_EQ(used(hits, compiled({rule("A", "local")}))[0]->read(), 0U);
}

TEST(RuleHits, RulesThatDoNotComeIntoForceChangeNothing) {
  RuleHits hits;
  const auto rules = compiled({rule("A", "local")});
  const auto counts = used(hits, rules);
  counts[0]->add(3);
  static_cast<void>(hits.counts_for(compiled({rule("B", "local")})));
  counts[0]->add(1);
  EXPECT_EQ(hits.counts_for(rules)[0]->read(), 4U);
}

}  // namespace
}  // namespace shingled::milter::policy
