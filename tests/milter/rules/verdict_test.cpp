#include "milter/rules/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "milter/similar/similar_evidence.h"
#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::rules {
namespace {

using mime::PartKind;

constexpr ActionOptions kAllActions = {20.0, 15.0, 10.0, 7.0, 4.0};

struct ActionCase {
  const char* why;
  ActionOptions actions;
  double score;
  Action expected;
};

const ActionCase kActions[] = {
    {"nothing known", kAllActions, 0, Action::kPass},
    {"just below", kAllActions, 3.999, Action::kPass},
    {"a threshold is reached by equality", kAllActions, 4, Action::kAddHeader},
    {"tempfail", kAllActions, 7, Action::kTempfail},
    {"quarantine", kAllActions, 10, Action::kQuarantine},
    {"reject", kAllActions, 15, Action::kReject},
    {"discard is the strongest", kAllActions, 20, Action::kDiscard},
    {"good mail", kAllActions, -10, Action::kPass},
    {"an absent action never happens", {{}, {}, {}, {}, 4.0}, 1000, Action::kAddHeader},
    {"nothing configured", {{}, {}, {}, {}, {}}, 1000, Action::kPass},
    {"the strongest wins, not the highest number", {{}, 5.0, 50.0, {}, 4.0}, 60, Action::kReject},
    {"the defaults mark", {}, 4, Action::kAddHeader},
    {"the defaults reject", {}, 10, Action::kReject},
};

TEST(Verdict, TakesTheStrongestActionReached) {
  for (const ActionCase& c : kActions) {
    EXPECT_EQ(choose_action(c.score, c.actions), c.expected) << c.why;
  }
}

TEST(Verdict, AddsUpSymbolsAndGivesTheReason) {
  Facts facts;
  facts.lookups = {hit_lookup(PartKind::kText, 1.0F, {{11, 20}, {13, 2}})};
  const RuleOptions rule;
  const Verdict verdict = judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept);
  EXPECT_NEAR(verdict.score, 20 * 0.9913 - 10 * 0.9913, 0.01);
  EXPECT_EQ(verdict.action, Action::kAddHeader) << "9.91 stays below reject";
  EXPECT_TRUE(verdict.is_spam());
  EXPECT_FALSE(verdict.failed);
  EXPECT_EQ(verdict.reason, "score 9.91 reaches add_header 4.00");
}

struct FailureCase {
  const char* why;
  std::int32_t value;  // of a hit beside the failure; 0 = none
  FailurePolicy policy;
  Action action;
  bool failed;
};

constexpr FailureCase kFailures[] = {
    {"accept: the message passes and is marked as unknown", 0, FailurePolicy::kAccept,
     Action::kPass, true},
    {"tempfail", 0, FailurePolicy::kTempfail, Action::kTempfail, true},
    {"reject", 0, FailurePolicy::kReject, Action::kReject, true},
    {"the known facts suffice to reject: the failure changes nothing", 20, FailurePolicy::kAccept,
     Action::kReject, false},
    {"the known facts suffice only for a header: the policy decides", 3, FailurePolicy::kTempfail,
     Action::kTempfail, true},
    {"the known facts suffice for a header: accept keeps it", 3, FailurePolicy::kAccept,
     Action::kAddHeader, true},
};

TEST(Verdict, FollowsThePolicyWhenALookupFailed) {
  for (const FailureCase& c : kFailures) {
    Facts facts;
    facts.lookups = {failed_lookup(Lookup::Outcome::kTimeout)};
    if (c.value != 0) facts.lookups.push_back(hit_lookup(PartKind::kText, 1.0F, {{11, c.value}}));
    const RuleOptions rule;
    const Verdict verdict = judge(facts, std::span(&rule, 1), {}, c.policy);
    EXPECT_EQ(verdict.action, c.action) << c.why;
    EXPECT_EQ(verdict.failed, c.failed) << c.why;
  }
}

struct UnknownCase {
  const char* why;
  std::size_t unasked;
  bool incomplete;
  bool similar_incomplete;
  double list_score;   // of the one list of known files
  std::int32_t value;  // of a hit; 0 = none
  FailurePolicy policy;
  Action action;
  std::string_view reason;
};

constexpr UnknownCase kUnknown[] = {
    {"nothing is unknown", 0, false, false, 8, 0, FailurePolicy::kReject, Action::kPass,
     "score 0.00 reaches no threshold"},
    {"accepted, but marked as unknown", 7, false, false, 8, 0, FailurePolicy::kAccept,
     Action::kPass, "7 of 7 look-ups not asked"},
    {"a bound of the analysis", 0, true, false, 8, 0, FailurePolicy::kTempfail, Action::kTempfail,
     "analysis incomplete: part limit reached, work limit reached"},
    {"the known facts are enough", 7, true, true, 8, 20, FailurePolicy::kTempfail, Action::kReject,
     "score 19.83 reaches reject 10.00"},
    {"the known facts are only enough for a header", 7, false, false, 8, 3, FailurePolicy::kReject,
     Action::kReject, "7 of 8 look-ups not asked"},
    {"known files that would have been enough", 0, false, true, 12, 0, FailurePolicy::kTempfail,
     Action::kTempfail, "known files not looked up to the end"},
    {"known files that could only have marked it", 0, false, true, 8, 0, FailurePolicy::kTempfail,
     Action::kPass, "score 0.00 reaches no threshold"},
    {"all at once", 7, true, true, 12, 0, FailurePolicy::kAccept, Action::kPass,
     "7 of 7 look-ups not asked; analysis incomplete: part limit reached, work limit reached; "
     "known files not looked up to the end"},
};

TEST(Verdict, FollowsThePolicyWhenABoundWasReached) {
  for (const UnknownCase& c : kUnknown) {
    Facts facts;
    facts.unasked = c.unasked;
    facts.incomplete = c.incomplete;
    similar::SimilarFacts files;
    files.incomplete = c.similar_incomplete;
    facts.defects = {"multipart without its end", "part limit reached", "work limit reached"};
    if (c.value != 0) facts.lookups = {hit_lookup(PartKind::kText, 1.0F, {{11, c.value}})};
    const RuleOptions rule;
    SimilarList list;
    list.score = c.list_score;
    facts.findings = {similar::similar_findings(files, std::span(&list, 1), {})};
    const Verdict verdict = judge(facts, std::span(&rule, 1), {}, c.policy);
    EXPECT_EQ(verdict.action, c.action) << c.why;
    EXPECT_EQ(verdict.reason, c.reason) << c.why;
    EXPECT_EQ(verdict.failed, !c.reason.starts_with("score")) << c.why;
  }
}

TEST(Verdict, TellsWhichLookupFailed) {
  Facts facts;
  facts.lookups = {failed_lookup(Lookup::Outcome::kRefused)};
  const RuleOptions rule;
  EXPECT_EQ(judge(facts, std::span(&rule, 1), {}, FailurePolicy::kAccept).reason,
            "1 of 1 look-ups failed, first refused of rule remote");
}

TEST(Verdict, HasAScoreWithoutTheCounters) {
  static constexpr Source kPlain = {.key = "plain", .title = ""};
  static constexpr Source kCounted = {.key = "counted", .title = "", .from_counters = true};
  Facts facts;
  facts.findings.push_back({.source = &kPlain, .score_max = 5.0});
  facts.findings.back().evidence = {{.symbol = "A", .score = 4}, {.symbol = "B", .score = 3}};
  EXPECT_EQ(score_without_counters(facts), 5);
  facts.findings.push_back({.source = &kCounted, .score_max = 2.0});
  facts.findings.back().evidence = {{.symbol = "C", .score = 7}};
  EXPECT_EQ(score_without_counters(facts), 5);
  EXPECT_EQ(judge(facts, ActionOptions(), FailurePolicy::kAccept).score, 7);
}

Evidence bound(const char* symbol, Action at_most) {
  Evidence item;
  item.symbol = symbol;
  item.at_most = at_most;
  item.explanation = [symbol] {
    return Explanation{.log = symbol, .header = {}, .arithmetic = {}};
  };
  return item;
}

struct BoundCase {
  const char* why;
  double score;
  Action request;
  std::optional<Action> at_most;
  Action expected;
  bool spam;
};

const BoundCase kBounds[] = {
    {"no bound", 12, Action::kPass, {}, Action::kReject, true},
    {"accepted above the score", 12, Action::kPass, Action::kPass, Action::kPass, false},
    {"accepted above another rule", 0, Action::kDiscard, Action::kPass, Action::kPass, false},
    {"accepted without need", 0, Action::kPass, Action::kPass, Action::kPass, false},
    {"delivered with its mark", 12, Action::kPass, Action::kAddHeader, Action::kAddHeader, true},
    {"marked because a rule asks for it", 0, Action::kAddHeader, {}, Action::kAddHeader, true},
    {"not marked by being delivered", 0, Action::kPass, Action::kAddHeader, Action::kPass, false},
};

TEST(Verdict, DoesNotGoBeyondWhatEvidenceAllows) {
  constexpr Source kSource{.key = "test", .title = "test"};
  for (const BoundCase& c : kBounds) {
    Facts facts;
    Findings& findings = facts.findings.emplace_back();
    findings.source = &kSource;
    Evidence bad;
    bad.symbol = "BAD";
    bad.score = c.score;
    bad.action = c.request;
    bad.explanation = [] { return Explanation{.log = "BAD", .header = {}, .arithmetic = {}}; };
    findings.evidence.push_back(bad);
    if (c.at_most) findings.evidence.push_back(bound("BOUND", *c.at_most));
    const Verdict verdict = judge(facts, ActionOptions{}, FailurePolicy::kReject);
    EXPECT_EQ(verdict.action, c.expected) << c.why;
    EXPECT_EQ(verdict.is_spam(), c.spam) << c.why;
    EXPECT_EQ(verdict.score, c.score) << c.why;
  }
}

TEST(Verdict, AcceptsAlsoWhatCouldNotBeLookedAt) {
  constexpr Source kSource{.key = "test", .title = "test"};
  Facts facts;
  Findings& findings = facts.findings.emplace_back();
  findings.source = &kSource;
  findings.gaps.push_back({"away"});
  findings.evidence.push_back(bound("BOUND", Action::kPass));
  const Verdict verdict = judge(facts, ActionOptions{}, FailurePolicy::kTempfail);
  EXPECT_EQ(verdict.action, Action::kPass);
  EXPECT_FALSE(verdict.failed);
  EXPECT_EQ(verdict.accepted, "BOUND");
  EXPECT_EQ(verdict.reason, "BOUND (instead of tempfail)");
}

}  // namespace
}  // namespace shingled::milter::rules
