#include "mime/words/word_boundaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace shingled::mime {
namespace {

struct Closer {
  void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
  void operator()(UText* text) const { utext_close(text); }
};

/// ICU 72, which our hashes follow, takes @ for a letter; another version gets a letter in its
/// place.
std::vector<std::size_t> by_icu(std::string text, WordForm form) {
  if (U_ICU_VERSION_MAJOR_NUM != 72) std::replace(text.begin(), text.end(), '@', 'a');
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UBreakIterator, Closer> iterator(ubrk_open(
      UBRK_WORD, form == WordForm::kPosix ? "en_US_POSIX" : "en_US", nullptr, 0, &status));
  const std::unique_ptr<UText, Closer> utext(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  ubrk_setUText(iterator.get(), utext.get(), &status);
  std::vector<std::size_t> boundaries;
  ubrk_first(iterator.get());
  for (int at = ubrk_next(iterator.get()); at != UBRK_DONE; at = ubrk_next(iterator.get())) {
    boundaries.push_back(static_cast<std::size_t>(at));
  }
  return boundaries;
}

std::vector<std::size_t> by_us(const std::string& text, WordForm form) {
  std::vector<std::size_t> boundaries;
  WorkMeter meter(UINT64_MAX);
  WordBoundaries words(text, form, meter);
  for (std::size_t at = words.next(); at != WordBoundaries::kEnd; at = words.next()) {
    boundaries.push_back(at);
  }
  return boundaries;
}

constexpr WordForm kForms[] = {WordForm::kPosix, WordForm::kRoot};

TEST(WordBoundaries, SplitDottedNamesInThePosixFormOnly) {
  EXPECT_THAT(by_us("a.b", WordForm::kPosix), ::testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(by_us("a.b", WordForm::kRoot), ::testing::ElementsAre(3));
  EXPECT_THAT(by_us("3.14 don't", WordForm::kPosix), ::testing::ElementsAre(4, 5, 10));
}

// With every version of ICU. That of Debian 12 does so by itself; the step debian13 has another.
TEST(WordBoundaries, TakeAnAtForALetter) {
  for (const WordForm form : kForms) {
    EXPECT_THAT(by_us("ann@host x", form), ::testing::ElementsAre(8, 9, 10));
    EXPECT_THAT(by_us("jörg@host x", form), ::testing::ElementsAre(10, 11, 12)) << "by ICU";
  }
}

// The iterator waits for other texts and threads: one large mail must not stay in memory with it.
TEST(WordBoundaries, KeepNoLargeCopyOfAText) {
  std::string text;
  while (text.size() < 1'000'000) text += "\xE4\xB8\xAD\xE6\x96\x87 ";
  for (const WordForm form : kForms) {
    by_us(text, form);
    EXPECT_LE(WordBoundaries::bytes_kept(form), 128U * 1024) << "walked to its end";
    {
      WorkMeter meter(UINT64_MAX);
      WordBoundaries words(text, form, meter);
      words.next();
      EXPECT_GT(WordBoundaries::bytes_kept(form), text.size() / 2) << "while it is walked";
    }
    EXPECT_LE(WordBoundaries::bytes_kept(form), 128U * 1024) << "given up after a word";
    EXPECT_EQ(by_us("\xE4\xB8\xAD x", form).back(), 5U) << "and it goes on working";
  }
}

TEST(WordBoundaries, BeginAWordWhereIcuSeesAnIdentifierPart) {
  for (int code = 0; code < 128; ++code) {
    EXPECT_EQ(begins_word(std::string(1, static_cast<char>(code))), u_isJavaIDPart(code) != 0)
        << code;
  }
  EXPECT_TRUE(begins_word("ü"));
  EXPECT_FALSE(begins_word("–"));
}

// The law the ASCII walk stands on: short texts over the characters rules speak of, and over all.
TEST(WordBoundaries, OfAsciiTextEqualThoseOfIcu) {
  constexpr std::string_view kTelling = "ab19_.:',;@\"-$ \t\r\n";
  std::mt19937 random(20240601);
  for (int round = 0; round < 40000; ++round) {
    std::string text;
    const std::size_t size = 1 + random() % 9;
    for (std::size_t i = 0; i < size; ++i) {
      text += round % 2 == 0 ? kTelling[random() % kTelling.size()]
                             : static_cast<char>(random() % 127 + 1);
    }
    for (const WordForm form : kForms) {
      ASSERT_EQ(by_us(text, form), by_icu(text, form)) << ::testing::PrintToString(text);
    }
  }
}

// And the law its seams stand on: ASCII and other words in one text, in long and short runs.
TEST(WordBoundaries, OfMixedTextEqualThoseOfIcu) {
  std::vector<std::string> pieces = {"word",   "don't",   "3.14",
                                     " ",      " ",       "  ",
                                     ".",      "Grüße",   "наш.дом",
                                     "水",     "か",      "\u0301",
                                     "\u200d", "\u00a0",  "\u2003",
                                     "สวัสดี",   "a\u0301", "😀",
                                     "x.com",  "@",       "שלום",
                                     "\u3000", "_",       "12",
                                     "٣٤",     "\"",      "plain words in a row, "};
  for (const char* longer_in_utf16_or_no_utf8 :
       {"東京都に行く", "𠮷野家", "\xE6\x9D", "\xFF", "\xED\xA0\x80", "\xF0\x9F\x98"}) {
    pieces.emplace_back(longer_in_utf16_or_no_utf8);
  }
  std::mt19937 random(7);
  for (int round = 0; round < 6000; ++round) {
    std::string text;
    const std::size_t size = 1 + random() % 40;
    for (std::size_t i = 0; i < size; ++i) text += pieces[random() % pieces.size()];
    for (const WordForm form : kForms) {
      ASSERT_EQ(by_us(text, form), by_icu(text, form)) << ::testing::PrintToString(text);
    }
  }
}

}  // namespace
}  // namespace shingled::mime
