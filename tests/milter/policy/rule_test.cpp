// Covers milter/policy/rule.cpp and milter/policy/never_true.cpp. Conditions that are wrong
// by themselves are in check_condition_test.cpp.
#include "milter/policy/rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "milter/policy/never_true.h"
#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

using testing::parsed;
using testing::rule;
using Texts = std::vector<std::string>;

Texts problems_of(const std::vector<Rule>& rules, const CheckContext& context = {}) {
  Texts out;
  for (const RuleProblem& found : check_rules(rules, context)) {
    const std::string name = found.rule < rules.size() ? rules[found.rule].name : "";
    out.push_back(name + ": " + found.problem.to_string());
  }
  return out;
}

TEST(CheckRules, AllowsRulesThatNameEachOtherInAnyOrder) {
  EXPECT_EQ(problems_of({rule("A", "B and C"), rule("B", "C"), rule("C", "local")}), Texts{});
}

TEST(CheckRules, NamesACircleInFull) {
  const std::vector<Rule> rules = {rule("A", "local and B"), rule("B", "html or C"),
                                   rule("C", "not A"), rule("D", "A")};
  const auto found = check_rules(rules, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule, 2U);
  EXPECT_EQ(found[0].problem.place, (Span{4, 1}));
  EXPECT_EQ(found[0].problem.what, "these rules need each other: A -> B -> C -> A");
}

TEST(CheckRules, FindsEachCircle) {
  EXPECT_EQ(problems_of({rule("A", "A"), rule("B", "C"), rule("C", "B or local")}),
            (Texts{"A: these rules need each other: A -> A",
                   "C: these rules need each other: B -> C -> B"}));
}

TEST(CheckRules, FollowsAChainOfManyRules) {
  std::vector<Rule> rules;
  for (std::size_t i = 0; i + 1 < 1000; ++i) {
    Condition next;
    next.atom.name = "R" + std::to_string(i + 1);
    rules.push_back(rule("R" + std::to_string(i), "local"));
    rules.back().condition = next;
  }
  rules.push_back(rule("R999", "local"));
  EXPECT_EQ(problems_of(rules), Texts{});
  rules.back().condition.atom.name = "R0";
  EXPECT_EQ(problems_of(rules).size(), 1U);
}

TEST(CheckRules, WantsNamesThatAreFreeAndValid) {
  const auto problem = [](const char* name) {
    const Texts found =
        problems_of({rule("TAKEN", "html"), rule(name, "local")}, {.symbols = {"FUZZY_DENIED"}});
    return found.empty() ? "" : found.back();
  };
  const std::string form =
      ": a name has letters, digits and '_', begins with no digit and has at most 64 characters";
  EXPECT_EQ(problem("GOOD_1"), "");
  EXPECT_EQ(problem("good"), "");
  EXPECT_EQ(problem("TAKEN"), "TAKEN: there is another rule 'TAKEN'");
  EXPECT_EQ(problem("FUZZY_DENIED"),
            "FUZZY_DENIED: 'FUZZY_DENIED' is the symbol of another source");
  EXPECT_EQ(problem("usual"), "usual: 'usual' is a word of the language of rules");
  EXPECT_EQ(problem("AND"), "AND: 'AND' is a word of the language of rules");
  EXPECT_EQ(problem("bytes"), "bytes: 'bytes' is a word of the language of rules");
  EXPECT_EQ(problem("from"), "from: 'from' is a word of the language of rules");
  EXPECT_EQ(problem(""), form);
  EXPECT_EQ(problem("1ST"), "1ST" + form);
  EXPECT_EQ(problem("A.B"), "A.B" + form);
  EXPECT_EQ(problem("A-B"), "A-B" + form);
  const std::string longest(kRuleNameMax, 'A');
  EXPECT_EQ(problem(longest.c_str()), "");
  EXPECT_EQ(problem((longest + 'A').c_str()), longest + 'A' + form);
}

TEST(CheckRules, WantsAScoreOrAnAction) {
  EXPECT_EQ(problems_of({rule("A", "local", std::nullopt)}),
            Texts{"A: a rule needs a score, an action or both"});
  EXPECT_EQ(problems_of({rule("A", "local", std::nan(""))}),
            Texts{"A: a score is a finite number"});
  Rule with_action = rule("A", "local", std::nullopt);
  with_action.action = rules::Action::kReject;
  EXPECT_EQ(problems_of({with_action}), Texts{});
  with_action.action = rules::Action::kPass;
  EXPECT_EQ(problems_of({with_action}),
            Texts{"A: allowed: add_header, tempfail, quarantine, reject, discard, accept "
                  "and deliver"});
}

TEST(CheckRules, AllowsAtMostTenThousand) {
  EXPECT_EQ(problems_of(std::vector<Rule>(kRulesMax + 1)),
            Texts{": at most 10000 rules are allowed"});
}

TEST(NeverTrue, FindsNothingWrongWithConditionsThatSomeMessageMeets) {
  const FindRule none = [](std::string_view) { return nullptr; };
  for (const char* const text :
       {"hour >= 22 or hour < 6", "hour > 5 and hour < 7", "hour >= 3 and hour != 4",
        "from.mass < 3 in 10m and from.mass > 5 in 1d",   // other windows
        "from.mass < 3 in 1d and sender.mass > 5 in 1d",  // other counters
        "link_domain.mass < 3 and link_domain.mass > 5",  // two links
        "sender_recipient.mass = 0 and sender_recipient.mass > 5",
        "from.spam >= 99% of 100 and from.spam >= 3",
        "from.complaint >= 200% of 10",                          // about messages of days before
        "from.spam >= 9% of 10 and not from.spam >= 9% of 100",  // too few of them
        "user.mass >= 10x usual and user.mass < 20x usual",
        "(local or html) and (not local or not html)", "spf != pass and spf != fail",
        "bytes > 0.3K and bytes < 309", "local = no and not local = yes", "hour <= 0"}) {
    EXPECT_EQ(never_true(parsed(text), none), std::nullopt) << text;
  }
}

TEST(NeverTrue, SeesThroughBracketsAndNot) {
  const FindRule none = [](std::string_view) { return nullptr; };
  for (const char* const text :
       {"not (local or not local)", "not (not (hour > 23))", "hour > 5 and hour < 6",
        "hour >= 3 and hour <= 4 and hour != 3 and hour != 4",
        "(hour = 1 or hour = 2) and (hour = 3 or hour = 4)", "bytes > 0.3K and bytes < 308",
        "local and html = yes and (html = no or not local)", "bytes = 0.3K",
        "from.mass <= 4 and from.spam >= 1% of 5"}) {
    EXPECT_NE(never_true(parsed(text), none), std::nullopt) << text;
  }
}

TEST(NeverTrue, GivesUpBeforeItTakesLong) {
  // Each of 2^20 ways ends in the same contradiction.
  std::string text = "hour < 3 and ";
  for (int i = 0; i < 20; ++i) text += "(words > " + std::to_string(i) + " or links > 1) and ";
  const FindRule none = [](std::string_view) { return nullptr; };
  EXPECT_EQ(never_true(parsed("(" + text + "local) and (hour > 5 or hour > 6)"), none),
            std::nullopt);
}

}  // namespace
}  // namespace shingled::milter::policy
