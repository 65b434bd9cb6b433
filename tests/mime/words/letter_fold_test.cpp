#include "mime/words/letter_fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mime/charset/utf8.h"

namespace shingled::mime {
namespace {

std::string folded(std::string_view text) {
  std::string out;
  fold_letters(text, out);
  return out;
}

TEST(FoldLetters, MakesOneOfAllWaysToWriteALetter) {
  struct Case {
    const char* text;
    const char* expected;
    const char* why;
  };
  const Case cases[] = {
      {"Viagra", "vlagra", "i and l are one letter"},
      {"VlAGRA", "vlagra", "so a small L passes for a capital I"},
      {"V\u00EDagr\u00E3", "vlagra", "accents"},
      {"Via\u200Bg\u00ADra\uFE0F", "vlagra", "zero-width space, soft hyphen, variation selector"},
      {"\u202EViagra\u202C", "vlagra", "direction marks"},
      {"V\u0456\u0430gr\u0430", "vlagra", "Cyrillic"},
      {"\u03BDi\u03B1gra", "vlagra", "Greek"},
      {"\uFF36\uFF49\uFF41gra", "vlagra", "full width"},
      {"\U0001D415\U0001D422\U0001D41Agra", "vlagra", "mathematical bold"},
      {"\u24CB\u24D8agra", "vlagra", "circled"},
      {"\uA4E6\u13A5AGRA", "vlagra", "Lisu and Cherokee"},
      {"V\u0131agra", "vlagra", "without its dot"},
      {"V\u0336i\u0336agra", "vlagra", "struck through by combining marks"},
      {"o\uFB03ce", "offlce", "a ligature is its letters"},
      {"$3,500.99", "$0,000.00", "digits; ASCII punctuation stays"},
      {"\u0663\u00BD\u2460", "00 00", "digits and numbers of any script"},
      {"don\u2019t `x`", "don't 'x'", "apostrophes"},
      {"\u0149o \u00B4", "'no '", "an apostrophe within a letter, one that is an accent"},
      {"a\u00A0b\u3000c\td\ne", "a b c d\ne", "spaces; line feeds stay"},
      {"\u2603\u4F60\u597D\u3002", " \u4F60\u597D ", "ideographs stay, symbols are spaces"},
      {"\u041F\u0440\u0438\u0432\u0435\u0442", "\u043Fp\u0438bet", "what has no twin stays"},
      {"a\x80\xFF z", "a   z", "invalid bytes"},
      {"", "", "nothing"},
  };
  for (const Case& c : cases) EXPECT_EQ(folded(c.text), c.expected) << c.why;
}

TEST(FoldLetters, Appends) {
  std::string out = "A";
  fold_letters("B", out);
  EXPECT_EQ(out, "Ab");
}

RC_GTEST_PROP(FoldLetters, LeavesWhatIsFoldedAlone, (const std::string& text)) {
  const std::string once = folded(text);
  RC_ASSERT(folded(once) == once);
}

TEST(FoldLetters, LeavesEveryCodePointAloneThatItMakes) {
  for (char32_t code = 1; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    append_utf8(text, static_cast<UChar32>(code));
    const std::string once = folded(text);
    ASSERT_EQ(folded(once), once) << "U+" << std::hex << static_cast<std::uint32_t>(code);
    ASSERT_LE(once.size(), 3 * text.size()) << std::hex << static_cast<std::uint32_t>(code);
  }
}

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
