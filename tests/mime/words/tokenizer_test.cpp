#include "mime/words/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

constexpr std::uint32_t kWordsMax = 100;

struct Case {
  std::string_view why, text;
  std::vector<Exception> exceptions;
  std::vector<std::string> words;
};

std::vector<std::string> words_of(const Case& c) {
  std::vector<std::string> words;
  for (const Token& token : split_raw_words(c.text, c.exceptions, kWordsMax)) {
    words.emplace_back(c.text.substr(token.offset, token.length));
  }
  return words;
}

TEST(RawWords, AreCutAsRspamdCutsThem) {
  const auto line = [](std::uint32_t offset) { return Exception{.offset = offset}; };
  const auto url = [](std::uint32_t offset, std::uint32_t length) {
    return Exception{.offset = offset, .length = length, .kind = ExceptionKind::kUrl};
  };
  const Case kCases[] = {
      {"the first character and the last word are lost",
       "See the top page",
       {},
       {"ee", "the", "top"}},
      {"so is the first character of a line", "a foo bar baz end", {line(6)}, {"foo", "ar", "baz"}},
      {"a URL is no word", "a b www.x.de c d", {url(4, 8)}, {"b", "c"}},
      {"a word glued to a URL is one", "a foowww.x.de c d", {url(5, 8)}, {"foo", "c"}},
      {"behind a URL that begins the text none is seen",
       "www.x.de b www.y.de c d",
       {url(0, 8), url(11, 8)},
       {"b", "www", "y", "de", "c"}},
      {"apostrophe, ! and @ join words", "a isn't b!c d@e.f end", {}, {"isn't", "b!c", "d@e", "f"}},
      {"so do other bytes", "a caf\xe9 \xa1\xa1 x\x7fy end", {}, {"caf\xe9", "\xa1\xa1", "x\x7fy"}},
      {"form feed joins, tab cuts", "a b\fc d\te end", {}, {"b\fc", "d", "e"}},
      {"nothing but delimiters", " .,;", {}, {}},
      {"nothing", "", {}, {}},
  };
  for (const Case& c : kCases) EXPECT_EQ(words_of(c), c.words) << c.why;
}

TEST(RawWords, AreComparedInLowerCase) {
  EXPECT_EQ(raw_stem("HouSES"), "houses");
  EXPECT_EQ(raw_stem("CAF\xc9"), "caf\xc9");
}

TEST(RawWords, StopAtTheBound) { EXPECT_EQ(split_raw_words("x a b c d e", {}, 3).size(), 3U); }

std::vector<std::string> words_in(std::string_view text, const std::vector<Exception>& exceptions) {
  std::vector<std::string> words;
  for (const Token& token : split_all(text, exceptions, {})) {
    const std::string mark = token.kind == TokenKind::kUrl ? "url:" : "";
    words.push_back(mark + std::string(text.substr(token.offset, token.length)));
  }
  return words;
}

TEST(SplitWords, StepsOverUrls) {
  const auto url = [](std::uint32_t offset, std::uint32_t length) {
    return Exception{.offset = offset, .length = length, .kind = ExceptionKind::kUrl};
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_in("see the page, please", {}), (Words{"see", "the", "page", "please"}));
  EXPECT_EQ(words_in("see www.x.de now", {url(4, 8)}), (Words{"see", "url:www.x.de", "now"}));
  EXPECT_EQ(words_in(" .,; ", {}), Words{});
}

TEST(SplitWords, ThinsOutALongText) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "word" + std::to_string(i) + ' ';
  const std::vector<Token> tokens = split_all(text, {}, {});
  const auto kept = std::count_if(tokens.begin(), tokens.end(), [](const Token& token) {
    return token.kind == TokenKind::kWord;
  });
  EXPECT_EQ(tokens.size(), 20'000U);
  EXPECT_GT(kept, 600);
  EXPECT_LT(kept, 2'000);
  EXPECT_TRUE(std::all_of(tokens.begin(), tokens.begin() + 600,
                          [](const Token& token) { return token.kind == TokenKind::kWord; }));
  EXPECT_EQ(split_all(text, {}, {}), tokens) << "the same words every time";
}

}  // namespace
}  // namespace shingled::mime
