#include "milter/setup/plan.h"

#include <gtest/gtest.h>

namespace shingled::milter::setup {
namespace {

using Words = std::vector<std::string>;

TEST(ListWords, AreSeparatedByBlanksAndCommasOutsideOfBraces) {
  struct Case {
    const char* text;
    Words words;
  };
  const Case kCases[] = {
      {"", {}},
      {" , ,\t", {}},
      {"a,b  c", {"a", "b", "c"}},
      {"{ a, b = c } d", {"{ a, b = c }", "d"}},
      {"{ a { b } c }", {"{ a { b } c }"}},
      {"a } b", {"a", "}", "b"}},
      {"{ a b", {"{ a b"}},
  };
  for (const Case& test : kCases) EXPECT_EQ(list_words(test.text), test.words) << test.text;
}

TEST(Trimmed, HasNoBlanksAtItsEnds) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

}  // namespace
}  // namespace shingled::milter::setup
