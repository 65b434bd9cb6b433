#include "mime/model/escapes.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

TEST(Escapes, HexDigitsAreReadInEitherCase) {
  EXPECT_EQ(hex_digit('0'), 0U);
  EXPECT_EQ(hex_digit('9'), 9U);
  EXPECT_EQ(hex_digit('a'), 10U);
  EXPECT_EQ(hex_digit('F'), 15U);
  for (const char c : {'g', 'G', '/', ':', '@', '`', '\xe4', '\0'}) EXPECT_FALSE(is_hex(c)) << c;
}

TEST(Escapes, PercentSignsNeedTwoDigits) {
  EXPECT_EQ(percent_decoded("%41b%63"), "Abc");
  EXPECT_EQ(percent_decoded("100%"), "100%");
  EXPECT_EQ(percent_decoded("%4"), "%4");
  EXPECT_EQ(percent_decoded("%-1%0x%g1"), "%-1%0x%g1");
  EXPECT_EQ(percent_decoded("%%41"), "%A");
  EXPECT_EQ(percent_decoded(""), "");
}

}  // namespace
}  // namespace shingled::mime
