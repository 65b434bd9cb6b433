// Structured fields (mime/message/field_parser.h): what quotes, comments and repeats make of them.
#include "mime/message/field_parser.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace shingled::mime {
namespace {

std::string name_in(std::string_view value) {
  WorkMeter meter(UINT64_MAX);
  const auto media = parse_media_type(value, meter);
  return media ? media->name : "no type";
}

TEST(FieldParser, EndsAQuoteAtTheLastOneThatMayEndIt) {
  struct Case {
    std::string_view why, value, name;
  };
  constexpr Case kCases[] = {
      {"a quoted semicolon does not separate", "text/plain; name=\"a;b\"; x=y", "a;b"},
      {"an escaped quote does not end it", R"(text/plain; name="a\";b")", "a\";b"},
      {"an escaped backslash does not escape", R"(text/plain; name="a\\"; x="b")", "a\\"},
      {"an open quote is a character", "text/plain; x=\"y; name=z", "z"},
      {"so is one that only an escaped quote follows", R"(text/plain; x="y\"; name=z)", "z"},
      {"a row of backslashes of odd length escapes", R"(text/plain; x="y\\\"; name=z)", "z"},
      {"one of even length does not", R"(text/plain; x="y\\"; name=z)", "z"},
      {"a comment is skipped", "text/plain (a; name=b); name=c", "c"},
      {"a bracket that nothing closes is no comment", "text/plain; name=a; x=(b", "a"},
      {"brackets nest", "text/plain ((a) name=b;); name=c", "c"},
  };
  for (const Case& c : kCases) EXPECT_EQ(name_in(c.value), c.name) << c.why;
}

TEST(FieldParser, PaysForTheCharsetsOfANameAndLeavesOutWhatIsRefused) {
  const std::string value = "text/plain; name=\"=?windows-1251?q?=EF?=\"";
  EXPECT_EQ(name_in(value), "\u043f");
  WorkMeter meter(100);
  EXPECT_EQ(parse_media_type(value, meter)->name, "");
  EXPECT_TRUE(meter.refused());
}

}  // namespace
}  // namespace shingled::mime
