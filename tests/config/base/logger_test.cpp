#include "config/base/logger.h"

#include <gtest/gtest.h>

namespace shingled {
namespace {

struct Case {
  const char* why;
  std::string value;
  std::string text;
};

TEST(LogLine, MakesValuesSafe) {
  const Case cases[] = {
      {"a plain word stays", "abc-1.2:3/4@x", "abc-1.2:3/4@x"},
      {"a space needs quotes", "a b", "\"a b\""},
      {"so does nothing", "", "\"\""},
      {"an equals sign could forge a field", "a=b", "\"a=b\""},
      {"a line end could forge a line", "a\r\nevent x=1", "\"a\\x0d\\x0aevent x=1\""},
      {"a quote could end the value", "a\" b", "\"a\\x22 b\""},
      {"a backslash could fake an escape", "a\\n", "a\\x5cn"},
      {"an escape sequence could paint the terminal", "\x1b[2J", "\\x1b[2J"},
      {"8-bit text is not ours to judge", "\xc3\xa4", "\\xc3\\xa4"},
      {"a zero byte", std::string("a\0b", 3), "a\\x00b"},
      {"delete", "\x7f", "\\x7f"},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(LogLine("e").field("k", test.value).text(), "e k=" + test.text) << test.why;
  }
}

TEST(LogLine, CutsLongValues) {
  const std::string most(LogLine::kLogValueBytesMax, 'x');
  EXPECT_EQ(LogLine("e").field("k", most).text(), "e k=" + most);
  EXPECT_EQ(LogLine("e").field("k", most + 'x').text(), "e k=" + most + "...");
}

TEST(LogLine, WritesNumbers) {
  EXPECT_EQ(
      LogLine("e").field("a", 1).field("b", true).field("c", 1.0 / 3, 2).field("d", -0.5, 1).text(),
      "e a=1 b=true c=0.33 d=-0.5");
}

}  // namespace
}  // namespace shingled
