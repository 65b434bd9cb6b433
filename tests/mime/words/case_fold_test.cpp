#include "mime/words/case_fold.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

TEST(CaseFold, KeepsWhatAReaderTellsApart) {
  struct Case {
    const char* why;
    std::string text;
    std::string expected;
  };
  const Case cases[] = {
      {"case", "Invoice 17.PDF", "invoice 17.pdf"},
      {"umlauts", "\u00DCBUNG", "\u00FCbung"},
      {"decomposed ones", "U\u0308BUNG", "\u00FCbung"},
      {"full width", "\uFF21\uFF11", "a1"},
      {"a zero-width space", "a\u200Bb", "ab"},
      {"Cyrillic stays Cyrillic", "\u0420", "\u0440"},
      {"not UTF-8",
       "\xFF"
       "A\u00DC",
       "\uFFFD"
       "a\u00FC"},
      {"nothing", "", ""},
  };
  for (const Case& test : cases) {
    const std::string once = fold_case(test.text);
    EXPECT_EQ(once, test.expected) << test.why;
    EXPECT_EQ(fold_case(once), once) << test.why;
  }
}

TEST(CaseFold, EndsAtItsBoundAndAtACharacter) {
  const std::string ascii(2 * kCaseFoldedBytesMax, 'A');
  EXPECT_EQ(fold_case(ascii), std::string(kCaseFoldedBytesMax, 'a'));
  std::string umlauts = "a";
  while (umlauts.size() < 2 * kCaseFoldedBytesMax) umlauts += "\u00DC";
  EXPECT_EQ(fold_case(umlauts).size(), kCaseFoldedBytesMax - 1);
  std::string growing;  // one character that becomes eighteen
  while (growing.size() < kCaseFoldedBytesMax) growing += "\uFDFA";
  EXPECT_LE(fold_case(growing).size(), kCaseFoldedBytesMax);
}

}  // namespace
}  // namespace shingled::mime
