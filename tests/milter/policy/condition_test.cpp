#include "milter/policy/condition.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "milter/policy/parse_condition.h"
#include "tests/milter/policy/any_condition.h"
#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

TEST(Number, ReadsWhatPeopleWrite) {
  struct Case {
    const char* text;
    std::uint64_t millionths;
    const char* again;
  };
  for (const Case& test : {Case{"0", 0, "0"}, Case{"100", 100'000'000, "100"},
                           Case{"0.3", 300'000, "0.3"}, Case{"007", 7'000'000, "7"},
                           Case{"1.50", 1'500'000, "1.5"}, Case{"0.000001", 1, "0.000001"},
                           Case{"10m", 10'000'000, "10M"}, Case{"1.5G", 1'500'000, "1.5G"},
                           Case{"9000000000000", 9'000'000'000'000'000'000U, "9000000000000"}}) {
    const auto number = parse_number(test.text);
    ASSERT_TRUE(number) << test.text;
    EXPECT_EQ(number->millionths, test.millionths) << test.text;
    EXPECT_EQ(to_string(*number), test.again);
  }
}

TEST(Number, RefusesOtherTexts) {
  for (const char* const text :
       {"", "K", ".5", "5.", "1.2.3", "-1", "+1", "1e6", "0x10", "1,5", " 1", "1 ", "0.1234567",
        "9000000000001", "99999999999999999999", "10MB", "1.-5"})
    EXPECT_FALSE(parse_number(text)) << text;
}

TEST(Number, UnitsArePowersOf1024) {
  EXPECT_TRUE(parse_number("1K")->value() == Wide{1024} * kMillion);
  EXPECT_TRUE(parse_number("1.5M")->value() == Wide{1536 * 1024} * kMillion);
  EXPECT_TRUE(parse_number("2T")->value() == (Wide{2} << 40U) * kMillion);
}

RC_GTEST_PROP(NumberLaw, ReadsWhatItPrints, ()) {
  Number number;
  number.millionths = *rc::gen::inRange<std::uint64_t>(0, kNumberMax) *
                      (*rc::gen::arbitrary<bool>() ? kMillion : 1);
  number.unit = *rc::gen::element('\0', 'K', 'M', 'G', 'T');
  RC_ASSERT(parse_number(to_string(number)) == number);
}

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
        Case{"not (not A)", "not (not A)"}, Case{"A\n  and\tB", "A and B"},
        // Without its quotation, what an unknown name is compared with would be a word.
        Case{R"(nobody != "yes")", R"(nobody != "yes")"},
        Case{R"(sender = "a@b.example")", "sender = a@b.example"}}) {
    EXPECT_EQ(to_string(testing::parsed(test.text)), test.canonical) << test.text;
    EXPECT_EQ(testing::parsed(test.canonical), testing::parsed(test.text)) << test.text;
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
