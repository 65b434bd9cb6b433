#include "mime/text/text_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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
  EXPECT_EQ(words_of(input, options).line.text, "one two t");
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

}  // namespace
}  // namespace shingled::mime
