#include "mime/text/language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "mime/text/embedded_data.h"
#include "mime/text/stop_words.h"

namespace shingled::mime {
namespace {

struct Case {
  const char* why;
  const char* text;
  const char* code;
  LanguageBy by;
};

constexpr Case kCases[] = {
    {"a Greek letter decides", "the value of π was not given to us by those who were there", "el",
     LanguageBy::kScript},
    {"so does a Han one", "the character 水 was not given to us by those who were there", "zh-CN",
     LanguageBy::kScript},
    {"kana means Japanese", "これは日本語です", "ja", LanguageBy::kScript},
    {"stop words of English", "this is what they have been doing before and after those", "en",
     LanguageBy::kStopWords},
    {"stop words of German",
     "wir haben Ihnen nicht gesagt, dass diese Sache für uns wichtig wird und bleibt", "de",
     LanguageBy::kStopWords},
};

TEST(Language, IsFoundByScriptThenByStopWords) {
  constexpr std::size_t kTokens = 12;
  for (const Case& c : kCases) {
    const Language language = detect_language(c.text, kTokens, Compat::kRspamd3);
    EXPECT_EQ(language.code, c.code) << c.why;
    EXPECT_EQ(language.by, c.by) << c.why;
  }
}

TEST(Language, OfFewWordsIsTheCommonestOfTheAlphabet) {
  EXPECT_EQ(detect_language("привет мир", 2, Compat::kRspamd3).code, "ru");
  const Language latin = detect_language("lorem ipsum", 2, Compat::kRspamd3);
  EXPECT_EQ(latin.code, "en");
  EXPECT_EQ(latin.by, LanguageBy::kShort);
  EXPECT_EQ(detect_language("", 0, Compat::kRspamd3).by, LanguageBy::kNone);
}

TEST(StopWords, CountEachOccurrenceForRspamd3AndEachWordForRspamd4) {
  constexpr std::string_view kText = "those. Those, (those) them";
  const auto english = [](const StopCounts& counts) { return counts[0]; };
  EXPECT_EQ(english(count_stop_words(kText, Alphabet::kLatin, Compat::kRspamd3)), 4U);
  EXPECT_EQ(english(count_stop_words(kText, Alphabet::kLatin, Compat::kRspamd4)), 2U);
}

TEST(StopWords, WithApostrophesCountAsWholeAndByTheirPieces) {
  const StopCounts counts = count_stop_words("they didn't", Alphabet::kLatin, Compat::kRspamd3);
  EXPECT_EQ(counts[0], 3U);  // they, didn, didn't
}

// hashing.md 12.5; the lists that are our own are shorter than rspamd's.
TEST(StopWords, ListsHaveTheSizesOfTheTable) {
  constexpr std::string_view kOurOwn = "ar cs id ne pl ro";
  for (const StopLanguage& language : kStopLanguages) {
    const std::string_view list = embedded_file(std::string(language.code) + ".stop");
    const auto words = std::count(list.begin(), list.end(), '\n');
    EXPECT_EQ(words > 0, language.list_size > 0) << language.code;
    const bool borrowed = kOurOwn.find(language.code) == std::string_view::npos;
    if (borrowed) {
      EXPECT_EQ(words, language.list_size) << language.code;
    }
  }
}

}  // namespace
}  // namespace shingled::mime
