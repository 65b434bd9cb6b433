// Covers mime/language/make_trigram_table.cpp, mime/language/trigram_vote.cpp: trigrams.
#include "mime/language/trigram_vote.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

std::size_t language(std::string_view code) {
  const auto codes = trigram_table().languages;
  return static_cast<std::size_t>(std::find(codes.begin(), codes.end(), code) - codes.begin());
}

std::map<std::string, std::uint32_t> votes_for(Alphabet alphabet, const std::u32string& letters) {
  std::map<std::string, std::uint32_t> votes;
  const Trigram trigram{.alphabet = alphabet, .letters = {letters[0], letters[1], letters[2]}};
  for (const TrigramVote vote : find_votes(trigram_table(), trigram)) {
    votes[std::string(trigram_table().languages[vote.language()])] = vote.share();
  }
  return votes;
}

/// A line of trigrams.txt in ASCII: "=" and names, or three letters and votes.
TEST(TrigramTable, HasEveryLineOfItsFile) {
  std::ifstream in(SHINGLED_SOURCE_DIR "/mime/language/data/trigrams.txt");
  std::vector<std::string> codes;
  std::size_t checked = 0;
  bool latin = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("= ")) {
      latin = line.starts_with("= latin ");
      codes.clear();
      for (std::size_t at = line.find(' ', 2); at != std::string::npos; at = line.find(' ', at + 1))
        codes.push_back(line.substr(at + 1, 2));
      continue;
    }
    const bool ascii = std::all_of(line.begin(), line.end(), [](char c) { return c > 0; });
    if (!latin || !ascii) continue;
    std::map<std::string, std::uint32_t> votes;
    for (std::size_t at = 3; at < line.size();) {
      const std::size_t index = line[at] >= 'a' ? 26U + static_cast<std::size_t>(line[at] - 'a')
                                                : static_cast<std::size_t>(line[at] - 'A');
      std::size_t digits = 0;
      votes[codes[index]] = static_cast<std::uint32_t>(std::stoul(line.substr(at + 1), &digits));
      at += 1 + digits;
    }
    const std::u32string letters(line.begin(), line.begin() + 3);
    EXPECT_EQ(votes_for(Alphabet::kLatin, letters), votes) << line;
    ++checked;
  }
  EXPECT_GT(checked, 7000U);
}

TEST(TrigramTable, HasNothingElse) {
  EXPECT_TRUE(votes_for(Alphabet::kLatin, U"qqx").empty());
  EXPECT_TRUE(votes_for(Alphabet::kLatin, U"при").empty()) << "an alphabet sees its own only";
  EXPECT_EQ(votes_for(Alphabet::kCyrillic, U"при").count("ru"), 1U);
  EXPECT_TRUE(votes_for(Alphabet::kLatin, U"abC").empty()) << "small letters only";
  EXPECT_TRUE(votes_for(Alphabet::kLatin, U"水水水").empty()) << "beyond the letters of the table";
  EXPECT_TRUE(votes_for(Alphabet::kArabic, U"abc").empty());
}

struct Text {
  std::string line;
  std::vector<Token> words;
  void add(const std::string& word) {
    words.push_back({.offset = static_cast<std::uint32_t>(line.size()),
                     .length = static_cast<std::uint32_t>(word.size())});
    line += word + " ";
  }
};

TrigramShares shares_of(const std::vector<std::string>& words) {
  Text text;
  for (const std::string& word : words) text.add(word);
  return all_shares(text.line, text.words, Alphabet::kLatin);
}

TEST(TrigramVote, LeavesOutTheSecondTrigramOfAWord) {
  const std::size_t en = language("en");
  const auto share = [](const std::u32string& letters) {
    return votes_for(Alphabet::kLatin, letters)["en"] * 1e-6;
  };
  const TrigramShares shares = shares_of({"there", "is"});
  // "the" is not among them, and two letters are too few.
  EXPECT_NEAR(shares[en], share(U" th") + share(U"her") + share(U"ere") + share(U"re "), 1e-12);
  EXPECT_GT(share(U"the"), 0);
}

/// One draw as rspamd does it: how often each word is taken.
std::vector<int> draw(const std::vector<bool>& drawable, std::minstd_rand& random) {
  const std::size_t n = drawable.size();
  const std::size_t stretches = std::min<std::size_t>(n, 80);
  const std::size_t length = n / stretches;
  std::vector<int> taken(n, 0);
  taken[0] = 1;
  for (std::size_t begin = length + n % stretches; begin < n; begin += length) {
    std::size_t at = begin + random() % length;
    for (std::size_t tries = 1; !drawable[at] && tries <= n; ++tries) {
      at = tries < length ? begin + random() % length : random() % n;
    }
    ++taken[at];
  }
  return taken;
}

TEST(TrigramVote, IsTheAverageOfManyDraws) {
  const std::vector<std::string> vocabulary = {"reisen",  "4711", "freunde", "wichtig", "x",
                                               "viernes", "22b",  "nuestra", "wollen",  "gracias"};
  std::minstd_rand random(7);
  for (const std::size_t n : {10U, 33U, 79U, 80U, 95U, 160U, 333U}) {
    Text text;
    std::vector<bool> drawable;
    std::vector<TrigramShares> each;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string& word = vocabulary[random() % vocabulary.size()];
      text.add(word);
      drawable.push_back(word.size() >= 2 && std::isalpha(word.front()) != 0 &&
                         std::isalpha(word.back()) != 0);
      each.push_back(shares_of({word}));
    }
    constexpr int kDraws = 2000;
    double spanish = 0;
    for (int i = 0; i < kDraws; ++i) {
      const std::vector<int> taken = draw(drawable, random);
      for (std::size_t at = 0; at < n; ++at) spanish += taken[at] * each[at][language("es")];
    }
    const TrigramShares expected = all_shares(text.line, text.words, Alphabet::kLatin);
    EXPECT_NEAR(expected[language("es")] / (spanish / kDraws), 1, 0.03) << n << " words";
  }
}

TEST(TrigramVote, OfAVeryLongTextLooksAtSomeWordsOnly) {
  constexpr const char* kVocabulary[] = {"nuestra", "wichtig", "gracias"};
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::size_t{80} * 64; ++i) words.emplace_back(kVocabulary[i % 3]);
  const TrigramShares many = shares_of(words);
  words.resize(160);
  const TrigramShares few = shares_of(words);
  for (std::size_t i = 0; i < many.size(); ++i) EXPECT_NEAR(many[i], few[i], 0.03 * few[i]);
}

struct Election {
  const char* why;
  std::map<std::string, double> log2_shares;
  const char* winner;
};

TEST(TrigramVote, IsWonAsRspamdWeighsIt) {
  const Election elections[] = {
      {"nobody stands for it", {}, ""},
      {"one candidate", {{"vi", -3.0}}, "vi"},
      {"too small a share does not count", {{"vi", -8.1}}, ""},
      {"the best of those close together", {{"sv", -3.0}, {"da", -3.5}}, "sv"},
      {"a common language is preferred if nobody stands out",
       {{"sv", -3.0}, {"nl", -3.2}, {"no", -3.9}},
       "nl"},
      {"English even more", {{"sv", -3.0}, {"nl", -3.1}, {"en", -3.9}}, "en"},
      {"not if half the best share is more than it has", {{"sv", -3.0}, {"en", -4.1}}, "sv"},
      {"not if the shares are so large that their deviation is, too",
       {{"sv", 0.5}, {"en", -0.4}},
       "sv"},
      {"a mean of nothing is exceeded by any deviation", {{"sv", 0.1}, {"en", -0.1}}, "sv"},
  };
  for (const Election& election : elections) {
    TrigramShares shares{};
    for (const auto& [code, log2] : election.log2_shares) {
      shares[language(code)] = std::exp2(log2);
    }
    EXPECT_EQ(elect_language(shares), election.winner) << election.why;
  }
}

}  // namespace
}  // namespace shingled::mime
