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
      {"padding ends a group, another may follow", "Zm9vYg==Zm9v", "foobfoo"},
      {"one \"=\" where two belong takes the next byte", "Zm9vYg=Zm9v", "foob\x9b\xdb"},
      {"behind other foreign bytes it means nothing", "Zm9vYg!=Zm9v",
       "foob\x06"
       "f\xf6"},
  };
  for (const Case& c : kCases) EXPECT_EQ(decode_base64(c.encoded, kNoLimit), c.decoded) << c.why;
}

TEST(Base64, StopsAtTheLimit) { EXPECT_EQ(decode_base64("Zm9vYmFy", 4), "foob"); }

TEST(QuotedPrintable, DecodesLeniently) {
  constexpr Case kCases[] = {
      {"an escape", "caf=C3=A9", "caf\xc3\xa9"},
      {"lower-case digits", "=c3=a9", "\xc3\xa9"},
      {"a soft break vanishes, whatever ends the line", "a=\nb=\r\nc=\rd", "abcd"},
      {"an invalid escape stays", "a=zz b", "a=zz b"},
      {"the byte that spoils an escape is no escape", "a==41b", "a==41b"},
      {"a spoilt second digit", "a=b=41", "a=b=41"},
      {"half an escape at the end vanishes", "a=4", "a"},
      {"a lone = at the end stays", "a=", "a="},
      {"nothing is trimmed", "a \n b\n", "a \n b\n"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(decode_quoted_printable(c.encoded, kNoLimit), c.decoded) << c.why;
  }
}

TEST(QuotedPrintable, StopsAtTheLimit) {
  EXPECT_EQ(decode_quoted_printable("abc=41=42", 4), "abcA");
}

TEST(Uuencode, DecodesFromBeginToALineOfLengthNought) {
  EXPECT_EQ(decode_uuencode("begin 644 a.txt\n#0V%T\n`\nend\nmore", kNoLimit), "Cat");
  EXPECT_EQ(decode_uuencode("begin 644 a.txt\r\n#0V%T\r\n", kNoLimit), "Cat") << "cut";
}

TEST(Uuencode, DecodesWhatMailDidToIt) {
  constexpr Case kCases[] = {
      {"empty lines before it", "\r\n\nbegin 644 a.txt\n#0V%T\n`\n", "Cat"},
      {"blanks of the padding were cut off", "begin 644 a.txt\n$0V%T<P\n`\n", "Cats"},
      {"one of them was", "begin 644 a.txt\n$0V%T<P \n`\n", "Cats"},
  };
  for (const Case& c : kCases) EXPECT_EQ(decode_uuencode(c.encoded, kNoLimit), c.decoded) << c.why;
}

TEST(Uuencode, RefusesWhatItIsNot) {
  constexpr Case kCases[] = {
      {"no begin", "#0V%T\n`\nend\n", ""},
      {"text in front", "text\nbegin 644 a.txt\n#0V%T\n`\n", ""},
      {"a line too short", "begin 644 a.txt\n#0V%\n`\n", ""},
      {"a line too long", "begin 644 a.txt\n#0V%T  \n`\n", ""},
      {"a line that lacks half a byte", "begin 644 a.txt\n$0V%T<\n`\n", ""},
      {"only empty lines", "\n\r\n\n", ""},
      {"an empty line", "begin 644 a.txt\n\n`\n", ""},
      {"nothing", "", ""},
  };
  for (const Case& c : kCases)
    EXPECT_EQ(decode_uuencode(c.encoded, kNoLimit), std::nullopt) << c.why;
}

TEST(TransferEncoding, IsBelievedBeside8BitBytesButByRspamd3) {
  struct Declared {
    std::string_view why, body;
    TransferEncoding encoding, rspamd3;
  };
  using enum TransferEncoding;
  constexpr Declared kBodies[] = {
      {"8-bit first, base64", "\xefZm9vYmFy", kBase64, k8bit},
      {"8-bit first, quoted-printable", "\xc3\xa9 caf=C3=A9", kQuotedPrintable, k8bit},
      {"8-bit inside", "Zm9v\xa0YmFy", kBase64, k8bit},
      {"plain", "Zm9vYmFy", kBase64, kBase64},
      {"nothing declared, 8-bit", "\xefZm9vYmFy", kMissing, k8bit},
  };
  for (const Declared& c : kBodies) {
    EXPECT_EQ(effective_encoding(c.encoding, c.body, Compat::kRspamd4), c.encoding) << c.why;
    EXPECT_EQ(effective_encoding(c.encoding, c.body, Compat::kRspamd3), c.rspamd3) << c.why;
  }
}

}  // namespace
}  // namespace shingled::mime
