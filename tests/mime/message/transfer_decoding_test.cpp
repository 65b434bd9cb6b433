#include "mime/message/transfer_decoding.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace shingled::mime {
namespace {

constexpr std::size_t kNoLimit = 1 << 20;

struct Case {
  std::string_view why, encoded, decoded;
};

TEST(Base64, DecodesLeniently) {
  constexpr Case kCases[] = {
      {"RFC 4648 10", "Zm9vYmFy", "foobar"},
      {"RFC 4648 10, padding", "Zm9vYg==", "foob"},
      {"missing padding", "Zm9vYg", "foob"},
      {"line breaks and foreign characters",
       "Zm9v\r\n*Ym\xff"
       "Fy!",
       "foobar"},
      {"one left-over character holds no byte", "Zm9vY", "foo"},
      {"nothing", "", ""},
  };
  for (const Case& c : kCases) EXPECT_EQ(decode_base64(c.encoded, kNoLimit), c.decoded) << c.why;
}

TEST(Base64, StopsAtTheLimit) { EXPECT_EQ(decode_base64("Zm9vYmFy", 4), "foob"); }

TEST(QuotedPrintable, DecodesLeniently) {
  constexpr Case kCases[] = {
      {"an escape", "caf=C3=A9", "caf\xc3\xa9"},
      {"lower-case digits", "=c3=a9", "\xc3\xa9"},
      {"a soft break vanishes, whatever ends the line", "a=\nb=\r\nc=\rd", "abcd"},
      {"an escape that is none stays", "a=zz b", "a=zz b"},
      {"nothing is trimmed", "a \n b\n", "a \n b\n"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(decode_quoted_printable(c.encoded, kNoLimit), c.decoded) << c.why;
  }
}

TEST(QuotedPrintable, StopsAtTheLimit) {
  EXPECT_EQ(decode_quoted_printable("abc=41=42", 4), "abcA");
}

TEST(Uuencode, DecodesBetweenBeginAndEnd) {
  EXPECT_EQ(decode_uuencode("text\nbegin 644 a.txt\n#0V%T\n`\nend\nmore", kNoLimit), "Cat");
}

}  // namespace
}  // namespace shingled::mime
