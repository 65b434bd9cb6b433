#include "milter/api/system/match_question.h"

#include <gtest/gtest.h>

#include <limits>

namespace shingled::milter::api {
namespace {

std::string joined(const std::string& one, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += (i == 0 ? "" : ",") + one;
  return text;
}

TEST(MatchQuestion, IsParsedAsItIsWritten) {
  Fingerprint asked;
  asked.digest.bytes.fill(0xab);
  std::string hex;
  for (int i = 0; i < 64; ++i) hex += "ab";
  EXPECT_EQ(match_question(asked), "digest=" + hex);
  asked.shingles.emplace();
  for (std::size_t i = 0; i < kShingleCount; ++i) (*asked.shingles)[i] = i;
  asked.shingles->back() = std::numeric_limits<std::uint64_t>::max();
  const std::string text = match_question(asked);
  const std::size_t cut = text.find('&');
  const auto read = parse_match_question(
      {{"digest", text.substr(7, cut - 7)}, {"shingles", text.substr(cut + 10)}});
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, asked);
}

TEST(MatchQuestion, RefusesInvalidQuestions) {
  struct Case {
    const char* why;
    std::map<std::string, std::string> arguments;
    const char* expected;
  };
  const std::string digest(128, 'a');
  const Case cases[] = {
      {"nothing is asked", {}, "digest: must be 128 hexadecimal digits"},
      {"the beginning of a digest",
       {{"digest", "abcdef01"}},
       "digest: must be 128 hexadecimal digits"},
      {"129 digits", {{"digest", digest + "a"}}, "digest: must be 128 hexadecimal digits"},
      {"not hexadecimal",
       {{"digest", std::string(128, 'g')}},
       "digest: must be 128 hexadecimal digits"},
      {"no shingle",
       {{"digest", digest}, {"shingles", ""}},
       "shingles: must be 32 decimal numbers with commas"},
      {"31 shingles",
       {{"digest", digest}, {"shingles", joined("1", 31)}},
       "shingles: must be 32 decimal numbers with commas"},
      {"33 shingles",
       {{"digest", digest}, {"shingles", joined("1", 33)}},
       "shingles: must be 32 decimal numbers with commas"},
      {"a comma at the end",
       {{"digest", digest}, {"shingles", joined("1", 32) + ","}},
       "shingles: must be 32 decimal numbers with commas"},
      {"more than 64 bits",
       {{"digest", digest}, {"shingles", joined("18446744073709551616", 32)}},
       "shingles: must be 32 decimal numbers with commas"},
      {"a negative number",
       {{"digest", digest}, {"shingles", joined("-1", 32)}},
       "shingles: must be 32 decimal numbers with commas"},
      {"hexadecimal shingles",
       {{"digest", digest}, {"shingles", joined("0x1", 32)}},
       "shingles: must be 32 decimal numbers with commas"},
  };
  for (const Case& test : cases) {
    const auto read = parse_match_question(test.arguments);
    ASSERT_FALSE(read.has_value()) << test.why;
    EXPECT_EQ(read.error().message, test.expected) << test.why;
  }
}

}  // namespace
}  // namespace shingled::milter::api
