#include "mime/text/letter_fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

RC_GTEST_PROP(FoldLetters, LeavesEveryCodePointAloneThatItMakes, ()) {
  const auto code = *rc::gen::inRange<char32_t>(1, 0x20000);
  RC_PRE(code < 0xD800 || code > 0xDFFF);
  std::string text;
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    if (code < 0x10000) {
      text += static_cast<char>(0xE0 | code >> 12);
    } else {
      text += static_cast<char>(0xF0 | code >> 18);
      text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    }
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
  const std::string once = folded(text);
  RC_ASSERT(folded(once) == once);
  RC_ASSERT(once.size() <= 3 * text.size());
}

}  // namespace
}  // namespace shingled::mime
