#include "config/base/number_text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace shingled {
namespace {

struct WholeCase {
  const char* why;
  std::string_view text;
  std::optional<int> number;
};

TEST(NumberText, ReadsWholeNumbersAndNothingElse) {
  const WholeCase cases[] = {
      {"zero", "0", 0},
      {"digits", "42", 42},
      {"zeros in front say nothing else", "0042", 42},
      {"a signed type may be negative", "-7", -7},
      {"the last one", "2147483647", 2147483647},
      {"one more does not fit", "2147483648", std::nullopt},
      {"nor do many more", "99999999999999999999999999", std::nullopt},
      {"an empty text", "", std::nullopt},
      {"a sign alone", "-", std::nullopt},
      {"a plus sign", "+7", std::nullopt},
      {"a blank before", " 7", std::nullopt},
      {"a blank behind", "7 ", std::nullopt},
      {"a line end behind", "7\n", std::nullopt},
      {"a NUL behind", std::string_view("7\0", 2), std::nullopt},
      {"a fraction", "7.0", std::nullopt},
      {"another base", "0x10", std::nullopt},
      {"a word", "seven", std::nullopt},
  };
  for (const WholeCase& c : cases) EXPECT_EQ(parse_whole<int>(c.text), c.number) << c.why;
}

TEST(NumberText, KeepsTheBoundsOfWholeNumbers) {
  EXPECT_EQ(parse_whole<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_whole<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_whole<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_whole<std::uint64_t>("-1"), std::nullopt) << "it would wrap around";
  EXPECT_EQ(parse_whole<int>("1", 1, 3), 1) << "both bounds are included";
  EXPECT_EQ(parse_whole<int>("3", 1, 3), 3);
  EXPECT_EQ(parse_whole<int>("0", 1, 3), std::nullopt);
  EXPECT_EQ(parse_whole<int>("4", 1, 3), std::nullopt);
}

struct FrontCase {
  const char* why;
  std::string_view text;
  std::optional<std::uint16_t> number;
  std::string_view rest;
};

TEST(NumberText, TakesAWholeNumberOffTheFront) {
  const FrontCase cases[] = {
      {"a unit behind it", "15m", 15, "m"},
      {"nothing behind it", "15", 15, ""},
      {"no number: the text stays", "m15", std::nullopt, "m15"},
      {"too large: the text stays", "65536m", std::nullopt, "65536m"},
      {"an empty text", "", std::nullopt, ""},
  };
  for (const FrontCase& c : cases) {
    std::string_view text = c.text;
    EXPECT_EQ(take_whole<std::uint16_t>(text), c.number) << c.why;
    EXPECT_EQ(text, c.rest) << c.why;
  }
}

struct RealCase {
  const char* why;
  std::string_view text;
  std::optional<double> number;
};

TEST(NumberText, ReadsFiniteNumbers) {
  const RealCase cases[] = {
      {"a whole number", "3", 3},
      {"a fraction", "-0.5", -0.5},
      {"an exponent", "1e6", 1e6},
      {"not a number", "nan", std::nullopt},
      {"infinite", "inf", std::nullopt},
      {"larger than any", "1e999", std::nullopt},
      {"something behind it", "1.5x", std::nullopt},
      {"a comma", "1,5", std::nullopt},
      {"a blank", " 1", std::nullopt},
      {"an empty text", "", std::nullopt},
  };
  for (const RealCase& c : cases) EXPECT_EQ(parse_real(c.text), c.number) << c.why;
}

TEST(NumberText, TheShortestTextGivesTheSameNumber) {
  EXPECT_EQ(shortest_text(0.1), "0.1");
  EXPECT_EQ(shortest_text(20), "20");
  for (const double number : {0.0, 1.0 / 3, 2.2250738585072014e-308, -1.7976931348623157e308}) {
    EXPECT_EQ(parse_real(shortest_text(number)), number);
  }
}

}  // namespace
}  // namespace shingled
