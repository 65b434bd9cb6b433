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

TEST(FieldParser, ReadsFileNamesAsMailProgramsShowThem) {
  struct Case {
    std::string_view why, value, name, bare;
  };
  constexpr Case kCases[] = {
      {"blanks without quotes", "attachment; filename= Annual  report.exe ; size=1",
       "Annual  report.exe", ""},
      {"no word for the kind", "filename=\"x.scr\"", "", "x.scr"},
      {"nor quotes", "filename=two words.scr; size=3", "", "two words.scr"},
      {"in the second place", "size=3; filename=x.scr", "", "x.scr"},
      {"as it should be", "inline; filename=x.scr", "x.scr", ""},
  };
  for (const Case& c : kCases) {
    WorkMeter meter(UINT64_MAX);
    const Disposition disposition = parse_disposition(c.value, meter);
    if (c.bare.empty()) {
      EXPECT_EQ(disposition.file_name, c.name) << c.why;
    }
    EXPECT_EQ(disposition.bare_name, c.bare) << c.why;
  }
}

TEST(FieldParser, FindsATransferEncodingBetweenStrayMarks) {
  struct Case {
    std::string_view why, value;
    TransferEncoding encoding;
  };
  using enum TransferEncoding;
  constexpr Case kCases[] = {
      {"a comma", "BASE64,", kBase64},
      {"apostrophes", "'quoted-printable'", kQuotedPrintable},
      {"a full stop and a blank", "base64 .", kBase64},
      {"several of all kinds", "~#+-quoted-printable-!`;", kQuotedPrintable},
      {"uuencode by its other names", "X-UUE;", kUuencode},
      {"and without the x", "uue", kUuencode},
      {"as before", "base-64", kBase64},
      {"marks inside stay", "base.64", kMissing},
      {"only marks", ",;.-", kMissing},
      {"nothing", "", kMissing},
  };
  for (const Case& c : kCases) EXPECT_EQ(parse_transfer_encoding(c.value), c.encoding) << c.why;
}

}  // namespace
}  // namespace shingled::mime
