#include "mime/language/stemmer.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "mime/language/stop_words.h"

namespace shingled::mime {
namespace {

struct StemCase {
  const char* why;
  const char* language;
  const char* word;
  const char* stem;
};

constexpr StemCase kStems[] = {
    {"an ending goes", "en", "running", "run"},
    {"another takes its place", "en", "happily", "happili"},
    {"English alone cuts it", "de", "running", "running"},
    {"letters of two bytes", "ru", "новостями", "новост"},
    {"seventeen bytes: one in the middle", "en", "internationalizes", "internation"},
    {"the same but for that one", "en", "internatxonalizes", "internatxon"},
    {"longer than what is kept", "en", "counterrevolutionaries", "counterrevolutionari"},
    {"much longer", "de", "donaudampfschifffahrtsgesellschaften",
     "donaudampfschifffahrtsgesellschaft"},
    {"a language without a stemmer", "zh-CN", "running", "running"},
    {"nothing", "en", "", ""},
};

TEST(Stemmer, StemsAsSnowballDoesNowAndLater) {
  for (int round = 0; round < 2; ++round) {
    for (const StemCase& c : kStems) EXPECT_EQ(Stemmer(c.language).stem(c.word), c.stem) << c.why;
  }
}

/// Many words, in turn in several languages.
std::vector<std::string> stem_all(const std::vector<std::string>& words, std::size_t rounds) {
  std::vector<std::string> stems;
  for (std::size_t i = 0; i < rounds * words.size(); ++i) {
    for (const char* language : {"en", "de", "fr"}) {
      const std::string_view stem = Stemmer(language).stem(words[i % words.size()]);
      if (i / words.size() + 1 == rounds) stems.emplace_back(stem);
    }
  }
  return stems;
}

TEST(Stemmer, GivesTheSameStemsWhenItRemembersThem) {
  std::vector<std::string> words;
  for (const char* code : {"en", "de", "id", "ru"}) {
    std::istringstream list(std::string(embedded_file(std::string(code) + ".stop")));
    for (std::string word; std::getline(list, word);) {
      words.push_back(word);
      words.push_back(word + word);
    }
  }
  std::vector<std::string> first;
  std::thread([&] { first = stem_all(words, 1); }).join();  // a thread begins without stems
  EXPECT_EQ(stem_all(words, 3), first);
}

// Stems are remembered: neither words that take each other's place nor other languages may mix.
TEST(Stemmer, SaysTheSameForTheSameWord) {
  std::vector<std::string> words;
  for (int i = 0; i < 3000; ++i) {
    const std::string root = "run" + std::string(static_cast<std::size_t>(i) % 40, 'o');
    words.push_back(root + std::to_string(i * 7919 % 1000) + (i % 3 == 0 ? "nings" : "ning"));
    words.push_back(i % 2 == 0 ? "houses" : "running");
  }
  const Stemmer english("en");
  const Stemmer german("de");
  std::vector<std::string> stems;
  for (const std::string& word : words) stems.emplace_back(english.stem(word));
  for (std::size_t i = words.size(); i-- > 0;) {
    EXPECT_EQ(english.stem(words[i]), stems[i]) << words[i];
    EXPECT_EQ(german.stem("running"), "running");
  }
  EXPECT_EQ(english.stem("houses"), "hous");
}

TEST(Stemmer, RefusesLanguagesRspamdDoesNotStem) {
  EXPECT_EQ(Stemmer("en").stem("running"), "run");
  for (const char* language : {"eu", "ca", "ga", "hy", "yi", "zh-CN", ""}) {
    EXPECT_EQ(Stemmer(language).stem("running"), "running") << language;
  }
}

}  // namespace
}  // namespace shingled::mime
