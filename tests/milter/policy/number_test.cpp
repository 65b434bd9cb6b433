#include "milter/policy/number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

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

}  // namespace
}  // namespace shingled::milter::policy
