// Covers config/promotions/promoted_rules.cpp.
#include <gtest/gtest.h>

#include <functional>

#include "config/promotions/promoted_rules.h"

namespace shingled::config {
namespace {

std::vector<PolicyRuleOptions> rules() {
  return {{.name = "HELPER", .condition = "links >= 3", .score = 0},
          {.name = "BETWEEN", .condition = "HELPER or local", .score = 0},
          {.name = "RULE", .condition = "not BETWEEN and html", .score = 4},
          {.name = "OTHER", .condition = "HELPERS", .score = 1}};
}

TEST(RuleIdentity, ChangesWithWhatTheRuleDoes) {
  struct Case {
    const char* why;
    std::function<void(std::vector<PolicyRuleOptions>&)> change;
    bool other;
  };
  const std::uint64_t before = identities_of(rules())[2];
  for (const Case& c : {
           Case{"nothing", [](auto&) {}, false},
           Case{"its condition", [](auto& all) { all[2].condition = "html"; }, true},
           Case{"its score", [](auto& all) { all[2].score = 4.5; }, true},
           Case{"an action", [](auto& all) { all[2].action = PolicyAction::kReject; }, true},
           Case{"no score", [](auto& all) { all[2].score.reset(); }, true},
           Case{"a rule that it names", [](auto& all) { all[1].condition = "local"; }, true},
           Case{"a rule that that one names", [](auto& all) { all[0].condition = "links >= 4"; },
                true},
           Case{"such a rule is off", [](auto& all) { all[0].enabled = false; }, true},
           Case{"the score of such a rule", [](auto& all) { all[0].score = 9; }, false},
           Case{"a rule that it does not name", [](auto& all) { all[3].condition = "html"; },
                false},
           Case{"what is for people", [](auto& all) { all[2].reason = "because"; }, false},
           Case{"its shadow", [](auto& all) { all[2].shadow = true; }, false},
           Case{"the order of the rules", [](auto& all) { std::swap(all[0], all[1]); }, false},
       }) {
    auto changed = rules();
    c.change(changed);
    EXPECT_EQ(identities_of(changed)[2] != before, c.other) << c.why;
  }
}

TEST(RuleIdentity, TakesWholeWordsForNames) {
  auto all = rules();
  const std::uint64_t before = identities_of(all)[3];
  all[0].condition = "local";
  EXPECT_EQ(identities_of(all)[3], before) << "HELPERS is not HELPER";
}

TEST(RuleIdentity, EndsWithRulesThatNeedEachOther) {
  const auto ids = identities_of(
      {{.name = "A", .condition = "B", .score = 1}, {.name = "B", .condition = "A", .score = 1}});
  EXPECT_NE(ids[0], ids[1]);
}

}  // namespace
}  // namespace shingled::config
