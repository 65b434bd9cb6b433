#include "config/base/utf8.h"

#include <gtest/gtest.h>

namespace shingled {
namespace {

struct LetterCase {
  const char* why;
  std::string_view text;
  std::size_t bytes;  ///< 0 = not well-formed
  std::uint32_t code;
};

TEST(Utf8, ReadsTheLetterAtTheFront) {
  const LetterCase cases[] = {
      {"ASCII", "ab", 1, 'a'},
      {"NUL is a letter, too", std::string_view("\0", 1), 1, 0},
      {"two bytes", "\xc3\xa9t", 2, 0xE9},
      {"the smallest of two bytes", "\xc2\x80", 2, 0x80},
      {"three bytes", "\xe2\x82\xac", 3, 0x20AC},
      {"four bytes", "\xf0\x9f\x98\x80", 4, 0x1F600},
      {"the last before the surrogates", "\xed\x9f\xbf", 3, 0xD7FF},
      {"the first behind the surrogates", "\xee\x80\x80", 3, 0xE000},
      {"the last of Unicode", "\xf4\x8f\xbf\xbf", 4, 0x10FFFF},
      {"an empty text", "", 0, 0},
      {"a byte that only continues", "\x80", 0, 0},
      {"an overlong form of two bytes", "\xc1\xbf", 0, 0},
      {"an overlong form of three bytes", "\xe0\x9f\xbf", 0, 0},
      {"an overlong form of four bytes", "\xf0\x8f\xbf\xbf", 0, 0},
      {"a surrogate", "\xed\xa0\x80", 0, 0},
      {"beyond Unicode", "\xf4\x90\x80\x80", 0, 0},
      {"a byte that nothing begins with", "\xff", 0, 0},
      {"cut off", "\xe2\x82", 0, 0},
      {"a letter where it should continue", "\xe2\x82z", 0, 0},
  };
  for (const LetterCase& c : cases) {
    const auto letter = first_utf8_letter(c.text);
    ASSERT_EQ(letter.has_value(), c.bytes != 0) << c.why;
    if (!letter) continue;
    EXPECT_EQ(letter->bytes, c.bytes) << c.why;
    EXPECT_EQ(letter->code, c.code) << c.why;
  }
}

}  // namespace
}  // namespace shingled
