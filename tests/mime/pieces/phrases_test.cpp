#include "mime/pieces/phrases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace shingled::mime {
namespace {

/// Words "aXX" by number, which are no boilerplate.
std::string word(std::size_t i) {
  return {'q', static_cast<char>('a' + i / 26 % 26), static_cast<char>('a' + i % 26), 'x'};
}

WordList run(std::size_t begin, std::size_t count) {
  WordList out;
  for (std::size_t i = begin; i < begin + count; ++i) out.add(word(i));
  return out;
}

TEST(Phrases, AreEightWordsInARow) {
  EXPECT_TRUE(sample_phrases({}).own.empty());
  EXPECT_TRUE(sample_phrases(run(0, kPhraseWords - 1)).own.empty());
  const Phrases one = sample_phrases(run(0, kPhraseWords));
  EXPECT_EQ(one.own, std::vector<std::string>{"qaax qabx qacx qadx qaex qafx qagx qahx"});
  EXPECT_TRUE(one.notices.empty());
}

TEST(Phrases, AreAtMostEightDifferentOnes) {
  EXPECT_EQ(sample_phrases(run(0, kPhraseWords + 2)).own.size(), 3U);
  EXPECT_EQ(sample_phrases(run(0, 200)).own.size(), kPhrasesMax);
  WordList same;
  for (std::size_t i = 0; i < 100; ++i) same.add("same");
  EXPECT_EQ(sample_phrases(same).own.size(), 1U);
}

TEST(Phrases, DoNotDependOnWhatIsAround) {
  const Phrases part = sample_phrases(run(0, 100));
  WordList more = run(300, 100);
  for (std::size_t i = 0; i < 100; ++i) more.add(word(i));
  const Phrases whole = sample_phrases(more);
  const std::set<std::string> known(part.own.begin(), part.own.end());
  const auto shared = std::ranges::count_if(
      whole.own, [&](const std::string& phrase) { return known.contains(phrase); });
  EXPECT_GT(shared, 0) << "half of all phrases are the same";
}

TEST(Phrases, OfNoticesAreApart) {
  WordList words;
  for (const char* notice : {"unsubscrlbe", "newsletter"}) words.add(notice);
  for (std::size_t i = 0; i < kPhraseWords - 1; ++i) words.add(word(i));
  const Phrases phrases = sample_phrases(words);
  EXPECT_EQ(phrases.notices.size(), 1U) << "two words of a notice";
  EXPECT_EQ(phrases.own.size(), 1U) << "one such word";
}

TEST(Phrases, OfPairsOfLettersAreLonger) {
  WordList words;
  for (std::size_t i = 0; i < kPhraseWordsDense - 1; ++i) words.add("\u4F60\u597D");
  EXPECT_TRUE(sample_phrases(words).own.empty());
  words.add("\u4F60\u597D");
  EXPECT_EQ(sample_phrases(words).own.size(), 1U);
}

TEST(ShortText, IsThereInsteadOfPhrases) {
  EXPECT_EQ(short_text(run(0, 4)), "qaax qabx qacx qadx");
  EXPECT_EQ(short_text(run(0, 3)), "") << "fewer than 16 bytes";
  EXPECT_EQ(short_text(run(0, 2)), "");
  EXPECT_EQ(short_text({}), "");
  EXPECT_FALSE(short_text(run(0, kPhraseWords - 1)).empty());
  EXPECT_EQ(short_text(run(0, kPhraseWords)), "");
}

}  // namespace
}  // namespace shingled::mime
