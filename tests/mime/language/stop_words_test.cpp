#include "mime/language/stop_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace shingled::mime {
namespace {

// The hash is no secret, so a text may be made of words that all meet the longest run.
TEST(StopTable, ComparesNoWordWithMoreThanAFewOfItsOwn) {
  EXPECT_LE(StopTable::instance().longest_run(), StopTable::kComparedMax);
}

TEST(StopWords, CountEachOccurrenceForRspamd3AndEachWordForRspamd4) {
  constexpr std::string_view kText = "those. Those, (those) them";
  const auto english = [](const StopCounts& counts) { return counts[0]; };
  EXPECT_EQ(english(count_stop_words(kText, Alphabet::kLatin, Compat::kRspamd3)), 4U);
  EXPECT_EQ(english(count_stop_words(kText, Alphabet::kLatin, Compat::kRspamd4)), 2U);
}

TEST(StopWords, ThatBeginAlikeCountOnceEachForRspamd4) {
  const StopCounts counts =
      count_stop_words("dintr- dintr- that'll that'll", Alphabet::kLatin, Compat::kRspamd4);
  EXPECT_EQ(counts[0], 2U) << "that, that'll";
  std::uint32_t all = 0;
  for (const std::uint32_t count : counts) all += count;
  EXPECT_EQ(all, 4U) << "and dintr, dintr- of Romanian";
}

TEST(StopWords, WithApostrophesCountAsWholeAndByTheirPieces) {
  const StopCounts counts = count_stop_words("they didn't", Alphabet::kLatin, Compat::kRspamd3);
  EXPECT_EQ(counts[0], 3U);  // they, didn, didn't
}

// "ill" and "ill." stand in a list, so do "dintr" and "dintr-", but not "sa" of "sa-mi".
TEST(StopWords, MayHaveEdgesInsideAndAtTheEnd) {
  const auto count = [](std::string_view text, std::string_view code) {
    const StopCounts counts = count_stop_words(text, Alphabet::kLatin, Compat::kRspamd3);
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (kStopLanguages[i].code == code) found = counts[i];
    }
    return found;
  };
  EXPECT_EQ(count("ill. x", "hu"), 2U);
  EXPECT_EQ(count("ill.x", "hu"), 1U) << "the dot is no edge behind the dot";
  EXPECT_EQ(count("sa-mi", "ro"), 1U);
  EXPECT_EQ(count("sa-m", "ro"), 0U);
  EXPECT_EQ(count("dintr-o dintr-?", "ro"), 3U);
  EXPECT_EQ(count("masing-masing", "id"), 3U);
}

TEST(StopWords, StandBetweenSpacesAndAsciiPunctuation) {
  const auto english = [](std::string_view text) {
    return count_stop_words(text, Alphabet::kLatin, Compat::kRspamd3)[0];
  };
  EXPECT_EQ(english("those\tthem,(your)"), 3U);
  EXPECT_EQ(english("those\u00a0them"), 0U) << "a no-break space is no edge";
  EXPECT_EQ(english("those\vthem"), 0U) << "nor is a vertical tab";
  EXPECT_EQ(english("THOSE Him\u017felf"), 2U) << "any case, folded by Unicode";
}

/// Every stop word at every place, one after the other.
StopCounts count_one_by_one(std::string_view text, Alphabet alphabet) {
  const auto edge = [](char c) { return std::ispunct(c) != 0 || c == ' ' || c == '\t'; };
  StopCounts counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (kStopLanguages[i].alphabet != alphabet) continue;
    std::istringstream list(
        std::string(embedded_file(std::string(kStopLanguages[i].code) + ".stop")));
    for (std::string word; std::getline(list, word);) {
      for (std::size_t at = text.find(word); at < text.size(); at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if (at > 0 && !edge(text[at - 1])) continue;
        if (end == text.size() || edge(text[end])) ++counts[i];
      }
    }
  }
  return counts;
}

TEST(StopWords, AreCountedAsIfLookedForOneByOne) {
  constexpr std::string_view kEdges[] = {" ", "-", "'", ". ", "", "\t", " (", "--", "x"};
  std::vector<std::string> words;
  for (const char* code : {"en", "hu", "ro", "id", "de", "sl"}) {
    std::istringstream list(std::string(embedded_file(std::string(code) + ".stop")));
    for (std::string word; std::getline(list, word);) words.push_back(word);
  }
  std::minstd_rand random(12);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) {
      text += words[random() % words.size()];
      text += kEdges[random() % std::size(kEdges)];
    }
    EXPECT_EQ(count_stop_words(text, Alphabet::kLatin, Compat::kRspamd3),
              count_one_by_one(text, Alphabet::kLatin))
        << text;
  }
}

// HASHING.md 12.5
TEST(StopWords, ListsHaveTheSizesOfTheTable) {
  for (const StopLanguage& language : kStopLanguages) {
    const std::string_view list = embedded_file(std::string(language.code) + ".stop");
    EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), language.list_size) << language.code;
  }
}

}  // namespace
}  // namespace shingled::mime
