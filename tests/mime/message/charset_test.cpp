#include "mime/message/charset.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace shingled::mime {
namespace {

struct Case {
  std::string_view why, bytes, label, utf8;
};

TEST(Charset, DecodesByLabelWithFallbacks) {
  constexpr Case kCases[] = {
      {"UTF-8", "\xc3\xa9", "UTF-8", "\xc3\xa9"},
      {"no label, UTF-8", "\xc3\xa9", "", "\xc3\xa9"},
      {"no label, not UTF-8: windows-1252", "\xe9\x80", "", "\xc3\xa9\xe2\x82\xac"},
      {"no label, East Asian",
       "\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7",
       "",
       "\xe3\x81\x93\xe3\x82\x8c\xe3\x81\xaf\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe6"
       "\x96\x87\xe7\xab\xa0"
       "\xe3\x81\xa7\xe3\x81\x99"},
      {"labelled UTF-8, is not", "\xe9", "utf-8", "\xc3\xa9"},
      {"a known label is believed even for UTF-8", "\xc3\xa9", "iso-8859-1", "\xc3\x83\xc2\xa9"},
      {"an unknown label, UTF-8", "\xc3\xa9", "x-what", "\xc3\xa9"},
      {"quotes and blanks around", "\xe9", "\" ISO-8859-1. \"", "\xc3\xa9"},
      {"invalid input", "a\xff", "iso-2022-jp", "a\xef\xbf\xbd"},
      {"koi8-r", "\xc1", "koi8-r", "\xd0\xb0"},
  };
  for (const Case& c : kCases) {
    std::string storage;
    EXPECT_EQ(decode_text(c.bytes, c.label, storage).utf8, c.utf8) << c.why;
  }
}

TEST(Charset, KeepsUtf8WithoutACopy) {
  const std::string_view bytes = "caf\xc3\xa9";
  std::string storage;
  EXPECT_EQ(decode_text(bytes, "utf-8", storage).utf8.data(), bytes.data());
}

TEST(Charset, ConvertsTextsOfAnyLength) {
  const std::string bytes(100'000, '\xe9');
  EXPECT_EQ(decode_word(bytes, "iso-8859-1").size(), 200'000U);
}

TEST(Charset, JudgesUtf8) {
  EXPECT_TRUE(is_valid_utf8("plain ASCII of more than one word"));
  EXPECT_TRUE(is_valid_utf8("\xf0\x9f\x98\x80"));
  EXPECT_FALSE(is_valid_utf8("\xc0\x80")) << "overlong";
  EXPECT_FALSE(is_valid_utf8("\xed\xa0\x80")) << "a surrogate";
  EXPECT_FALSE(is_valid_utf8("a\xf0\x9f\x98")) << "cut";
  EXPECT_FALSE(is_valid_utf8("\xf4\x90\x80\x80")) << "beyond U+10FFFF";
}

}  // namespace
}  // namespace shingled::mime
