#include "config/reference/page_text.h"

#include <gtest/gtest.h>

namespace shingled::config {
namespace {

TEST(PageLine, IsShownWithoutMacrosAndEscapes) {
  struct Case {
    const char* why;
    const char* line;
    const char* shown;
  };
  constexpr Case kCases[] = {
      {"text", "X\\-Spam and \\fBbold\\fR", "X-Spam and bold"},
      {"fonts in turn stand together", ".BR shingled (8)", "shingled(8)"},
      {"quoted arguments", ".BR \"shingled stores\" ).", "shingled stores)."},
      {"one font keeps its blanks", ".B shingled configtest", "shingled configtest"},
      {"a macro alone", ".PP", ""},
      {"a quote that never ends", ".BR \"a b", "a b"},
      {"a backslash at the end", "a\\", "a\\"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    EXPECT_EQ(PageLine::parse(test.line).shown(), test.shown);
  }
}

TEST(Wrapped, FillsLines) {
  EXPECT_EQ(wrapped("one two three", "  ", 9), "  one two\n  three");
  EXPECT_EQ(wrapped("a_longer_word b", "", 5), "a_longer_word\nb");
  EXPECT_EQ(wrapped("", "  ", 9), "  ");
}

}  // namespace
}  // namespace shingled::config
