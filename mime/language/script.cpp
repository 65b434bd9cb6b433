#include "mime/language/script.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "config/base/ascii.h"

namespace shingled::mime {

namespace {

/// A script is certain if it has more letters than this and more than Latin.
constexpr std::uint32_t kCertainLetters = 32;
constexpr std::uint32_t kHanBesideKana = 5;  ///< with five times as much Han, kana are quotations

struct Counts {
  std::uint32_t latin = 0;
  std::uint32_t han = 0;
  std::uint32_t special = 0;  ///< letters of all scripts below
  bool greek = false, telugu = false, tamil = false, gujarati = false, thai = false;
  bool georgian = false, armenian = false, kana = false, jamo = false;
  bool cyrillic = false, devanagari = false, arabic = false;
};

/// The mark that a block sets, or nullptr.
bool* mark_of(Counts& counts, UBlockCode block) {
  switch (block) {
    case UBLOCK_GREEK:
      return &counts.greek;
    case UBLOCK_TELUGU:
      return &counts.telugu;
    case UBLOCK_TAMIL:
      return &counts.tamil;
    case UBLOCK_GUJARATI:
      return &counts.gujarati;
    case UBLOCK_THAI:
      return &counts.thai;
    case UBLOCK_GEORGIAN:
      return &counts.georgian;
    case UBLOCK_ARMENIAN:
      return &counts.armenian;
    case UBLOCK_HIRAGANA:
    case UBLOCK_KATAKANA:
      return &counts.kana;
    case UBLOCK_HANGUL_JAMO:
    case UBLOCK_HANGUL_COMPATIBILITY_JAMO:
      return &counts.jamo;
    case UBLOCK_CYRILLIC:
      return &counts.cyrillic;
    case UBLOCK_DEVANAGARI:
      return &counts.devanagari;
    case UBLOCK_ARABIC:
      return &counts.arabic;
    default:
      return nullptr;
  }
}

void count_letter(Counts& counts, UChar32 code) {
  const UBlockCode block = ublock_getCode(code);
  switch (block) {
    case UBLOCK_BASIC_LATIN:
    case UBLOCK_LATIN_1_SUPPLEMENT:
      ++counts.latin;
      return;
    case UBLOCK_CJK_UNIFIED_IDEOGRAPHS:
    case UBLOCK_CJK_UNIFIED_IDEOGRAPHS_EXTENSION_A:
    case UBLOCK_CJK_UNIFIED_IDEOGRAPHS_EXTENSION_B:
    case UBLOCK_CJK_RADICALS_SUPPLEMENT:
    case UBLOCK_CJK_COMPATIBILITY_IDEOGRAPHS:
      ++counts.han;
      return;
    case UBLOCK_HEBREW:
      ++counts.special;
      return;
    default:
      break;
  }
  if (bool* mark = mark_of(counts, block)) {
    *mark = true;
    ++counts.special;
  }
}

bool is_certain(const Counts& counts) {
  if (counts.special > kCertainLetters && counts.special > counts.latin) return true;
  return counts.han > kCertainLetters && counts.han > counts.latin && counts.special > 0;
}

std::string_view language_of(const Counts& counts) {
  if (counts.greek) return "el";
  if (counts.telugu) return "te";
  if (counts.tamil) return "ta";
  if (counts.gujarati) return "gu";
  if (counts.thai) return "th";
  if (counts.georgian) return "ka";
  if (counts.armenian) return "hy";
  const bool mostly_han =
      counts.han > kHanBesideKana && counts.han >= kHanBesideKana * counts.special;
  if (counts.kana && !mostly_han) return "ja";
  if (counts.jamo) return "ko";
  if (counts.han > 0) return "zh-CN";
  return {};
}

std::uint32_t count_letters(std::string_view ascii_text) {
  std::uint32_t letters = 0;
  for (const char c : ascii_text) letters += ascii::is_alpha(c) ? 1U : 0U;
  return letters;
}

}  // namespace

ScriptGuess guess_script(std::string_view text) {
  Counts counts;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t high = ascii::find_high(text, at);
    counts.latin += count_letters(text.substr(at, high - at));
    at = high;
    if (at == text.size()) break;
    UChar32 code = 0;
    U8_NEXT(bytes, at, text.size(), code);
    if (code < 0 || u_isalpha(code) == 0) continue;
    count_letter(counts, code);
    if (is_certain(counts)) break;
  }
  return {.language = language_of(counts),
          .cyrillic = counts.cyrillic,
          .devanagari = counts.devanagari,
          .arabic = counts.arabic};
}

}  // namespace shingled::mime
