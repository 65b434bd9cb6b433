#include "mime/text/text_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "mime/language/stemmer.h"
#include "mime/words/word_normaliser.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

std::string joined(const WordList& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += ' ';
    text += words[i];
  }
  return text;
}

TEST(TextWords, AreStemmedWithoutUrlsAndPunctuation) {
  const TextWords words =
      words_of({.content = "Dear customers,\nthis is what you have been waiting for; visit "
                           "http://example.com/now and don't miss it.\n",
                .form = TextForm::kPlain,
                .urls = UrlMode::kFull,
                .links = {}},
               {});
  EXPECT_EQ(words.language.code, "en");
  EXPECT_EQ(joined(words.stems),
            "dear custom this is what you have been wait for visit and dont miss it");
  EXPECT_FALSE(words.truncated);
}

TEST(TextWords, StopAtTheirBounds) {
  MimeOptions options;
  options.words_max = 3;
  const TextInput input{.content = "one two three four five",
                        .form = TextForm::kPlain,
                        .urls = UrlMode::kFull,
                        .links = {}};
  EXPECT_EQ(words_of(input, options).tokens.size(), 3U);
  EXPECT_TRUE(words_of(input, options).truncated);

  options = {};
  options.text_bytes_max = 9;
  EXPECT_EQ(words_of(input, options).oneline, "one two t");
}

TEST(TextWords, LeaveOutAPrintedLinkThatLooksLikeOne) {
  const std::string content = "please visit www.example.com/login today";
  const LinkSpan links[] = {{.offset = 13, .length = 21, .url = "http://other.example.org/"}};
  const TextWords words = words_of(
      {.content = content, .form = TextForm::kHtml, .urls = UrlMode::kStrict, .links = links}, {});
  ASSERT_EQ(words.exceptions.size(), 2U);
  EXPECT_EQ(words.exceptions[0].kind, ExceptionKind::kUrl);
  EXPECT_EQ(words.exceptions[1].kind, ExceptionKind::kLink);
  EXPECT_EQ(joined(words.stems), "pleas visit today");
}

// rspamd counts the white space in front to the offset, but not to the length.
TEST(TextWords, LetTheExceptionOfAPrintedLinkBeginAtItsWhiteSpace) {
  const std::string content = "please visit www.example.com/login today";
  const LinkSpan links[] = {
      {.offset = 12, .length = 21, .url = "http://other.example.org/", .space = 1}};
  const TextWords words = words_of(
      {.content = content, .form = TextForm::kHtml, .urls = UrlMode::kStrict, .links = links}, {});
  ASSERT_EQ(words.exceptions.size(), 2U);
  EXPECT_EQ(words.exceptions[0], (Exception{12, 21, ExceptionKind::kLink}));
}

TEST(WordNormaliser, FoldsCompatibleFormsAndDropsWhatIsNoLetter) {
  WordNormaliser normaliser;
  EXPECT_EQ(normaliser.normalise("Don't"), "dont");
  EXPECT_EQ(normaliser.normalise("3.14"), "314");
  EXPECT_EQ(normaliser.normalise("ＦＵＬＬ"), "full");
  EXPECT_EQ(normaliser.normalise("Straße"), "straße");
  EXPECT_EQ(normaliser.normalise("a+b=$1^"), "a+b=$1");
  EXPECT_EQ(normaliser.normalise("😀"), "");
  EXPECT_EQ(normaliser.normalise(std::string(1025, 'a')), "");
}

// The ASCII way and the way through ICU must agree: here each character next to one that forces it.
TEST(WordNormaliser, TreatsAsciiAlikeWithAndWithoutIcu) {
  WordNormaliser normaliser;
  for (char c = 1; c > 0 && c < 127; ++c) {
    const std::string alone(normaliser.normalise(std::string(1, c)));
    EXPECT_EQ(normaliser.normalise(std::string(1, c) + "ß"), alone + "ß") << int{c};
  }
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
