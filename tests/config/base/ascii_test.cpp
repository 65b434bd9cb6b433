#include "config/base/ascii.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace shingled::ascii {
namespace {

struct CaseCase {
  const char* why;
  std::string_view text;
  std::string_view lower;
};

TEST(Ascii, FoldsTheCaseOfItsLettersAlone) {
  const CaseCase cases[] = {
      {"capitals", "AZ", "az"},
      {"the neighbours of the capitals", "@[`{", "@[`{"},
      {"digits", "09", "09"},
      {"bytes above 0x7f, whatever they are", "\xC4\xD6\xFF", "\xC4\xD6\xFF"},
      {"a NUL within", std::string_view("A\0B", 3), std::string_view("a\0b", 3)},
      {"an empty text", "", ""},
  };
  for (const CaseCase& c : cases) {
    EXPECT_EQ(to_lower(c.text), c.lower) << c.why;
    EXPECT_TRUE(equal_ignoring_case(c.text, c.lower)) << c.why;
  }
  for (int code = 0; code < 256; ++code) {
    const char c = static_cast<char>(code);
    EXPECT_EQ(to_upper(c), c >= 'a' && c <= 'z' ? c - 32 : c) << code;
  }
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
  EXPECT_FALSE(equal_ignoring_case("@", "`"));
}

struct WordCase {
  const char* why;
  std::string_view text;
  bool is_word;
};

TEST(Ascii, KnowsWordsOfLettersDigitsAndAFewMore) {
  const WordCase cases[] = {
      {"letters, digits and what else is allowed", "a-Z9_", true},
      {"as long as it may be", "abcdefgh", true},
      {"longer", "abcdefghi", false},
      {"empty", "", false},
      {"a character that is not allowed", "a.b", false},
      {"a byte above 0x7f", "\xE4", false},
      {"a NUL", std::string_view("a\0", 2), false},
  };
  for (const WordCase& c : cases) EXPECT_EQ(is_word(c.text, 8, "_-"), c.is_word) << c.why;
}

TEST(Ascii, SearchByEightBytesFindsWhatASearchByOneFinds) {
  // The neighbours of what is sought, with and without the high bit.
  constexpr std::string_view kBytes = "\n\v\t:;9\x8a\xba\xbb\x80\xff aaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  std::minstd_rand random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = kBytes[random() % kBytes.size()];
    const std::size_t at = random() % (text.size() + 1);
    const auto first = [&](auto wanted) {
      return static_cast<std::size_t>(
          std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), wanted) -
          text.begin());
    };
    const auto listed = [](char c) { return c == ':' || c == '\n'; };
    EXPECT_EQ((find_any<':', '\n'>(text, at)), first(listed));
    EXPECT_EQ((find_any_or_high<':', '\n'>(text, at)),
              first([&](char c) { return listed(c) || is_high(c); }));
    EXPECT_EQ(find_high(text, at), first(is_high));
  }
}

}  // namespace
}  // namespace shingled::ascii
