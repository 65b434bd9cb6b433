#include "milter/policy/print_condition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "milter/policy/parse_condition.h"
#include "tests/milter/policy/any_condition.h"
#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

TEST(PrintCondition, WritesTheCanonicalText) {
  struct Case {
    const char* text;
    const char* canonical;
  };
  for (const Case& test :
       {Case{"local", "local"}, Case{" ( local )", "local"}, Case{"not(local)", "not local"},
        Case{"local=yes", "local = yes"}, Case{"from.mass>=5", "from.mass >= 5 in 1d"},
        Case{"from.mass >= 5 in 60m", "from.mass >= 5 in 1h"},
        Case{"from.spam>=99.50 % of 100 in 14d", "from.spam >= 99.5% of 100 in 14d"},
        Case{"user.mass > 10 x usual in 24h", "user.mass > 10x usual in 24h"},
        Case{"bytes > 10m", "bytes > 10M"}, Case{"A or B and C", "A or B and C"},
        Case{"A or (B and C)", "A or B and C"}, Case{"(A or B) and C", "(A or B) and C"},
        Case{"(A and B) and C", "(A and B) and C"}, Case{"not (A or B)", "not (A or B)"},
        Case{"not (not A)", "not (not A)"}, Case{"A\n  and\tB", "A and B"}}) {
    EXPECT_EQ(to_string(testing::parsed(test.text)), test.canonical) << test.text;
  }
}

TEST(PrintCondition, NamesWhatAnAtomComparesWith) {
  const auto threshold = [](const char* text) {
    return threshold_text(testing::parsed(text).atom);
  };
  EXPECT_EQ(threshold("from.spam >= 99% of 100"), "99% of 100");
  EXPECT_EQ(threshold("from.mass < 3"), "< 3");
  EXPECT_EQ(threshold("user.mass > 10x usual"), "> 10x usual");
  EXPECT_EQ(threshold("spf = fail"), "fail");
  EXPECT_EQ(threshold("spf != fail"), "!= fail");
}

RC_GTEST_PROP(PrintConditionLaw, IsReadAsTheSameCondition, ()) {
  const Condition condition = testing::any_condition({"local", "SYMBOL", "Rule_2"}, 5);
  const std::string text = to_string(condition);
  RC_PRE(text.size() <= kConditionBytesMax);
  const auto again = parse_condition(text);
  RC_ASSERT(std::holds_alternative<Condition>(again));
  RC_ASSERT(std::get<Condition>(again) == condition);
  RC_ASSERT(to_string(std::get<Condition>(again)) == text);
}

}  // namespace
}  // namespace shingled::milter::policy
