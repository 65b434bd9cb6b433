#include "mime/words/word_normaliser.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/base/ascii.h"
#include "mime/charset/utf8.h"

namespace shingled::mime {

namespace {

constexpr std::uint32_t kKeptCategories =
    U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK | U_GC_PC_MASK | U_GC_SM_MASK | U_GC_SC_MASK;

/// The normal form of an ASCII character: its lower case, or 0 if it is left out.
constexpr std::array<char, 128> kAscii = [] {
  std::array<char, 128> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const char c = static_cast<char>(i);
    if (ascii::is_alnum(c)) table[i] = ascii::to_lower(c);
  }
  for (const char c : std::string_view("_+<=>|~$")) table[static_cast<unsigned char>(c)] = c;
  return table;
}();

/// The code point at `at`, which moves after it. (ICU's macro for this does not compile cleanly.)
UChar32 next_code_point(const UChar* units, std::int32_t size, std::int32_t& at) {
  constexpr UChar32 kLeads = 0xD800;
  constexpr UChar32 kTrails = 0xDC00;
  const UChar32 unit = units[at++];
  if (unit >> 10 != kLeads >> 10 || at == size || units[at] >> 10 != kTrails >> 10) return unit;
  return 0x10000 + ((unit - kLeads) << 10) + (units[at++] - kTrails);
}

const UNormalizer2* nfkc() {
  UErrorCode status = U_ZERO_ERROR;
  static const UNormalizer2* const instance = unorm2_getNFKCInstance(&status);
  return instance;
}

const UNormalizer2* nfkd() {
  UErrorCode status = U_ZERO_ERROR;
  static const UNormalizer2* const instance = unorm2_getNFKDInstance(&status);
  return instance;
}

/// The most adjacent marks that ICU may sort, which takes quadratic time. Real text has no more
/// (UAX 15, 12.1: Stream-Safe Text Format).
constexpr std::size_t kMarksMax = 30;

bool has_many_marks(const UChar* units, std::int32_t size) {
  std::size_t marks = 0;
  for (std::int32_t i = 0; i < size;) {
    const UChar32 code = next_code_point(units, size, i);
    marks = unorm2_hasBoundaryBefore(nfkc(), code) != 0 ? 0 : marks + 1;
    if (marks > kMarksMax) return true;
  }
  return false;
}

/// The same text decomposed and in canonical order (NFKD), each run of marks sorted at once.
std::u16string decompose(const UChar* units, std::int32_t size) {
  constexpr std::int32_t kPieceMax = 32;                // the longest decomposition has 18
  std::vector<std::pair<std::uint8_t, UChar32>> codes;  // by combining class
  for (std::int32_t i = 0; i < size;) {
    const UChar32 code = next_code_point(units, size, i);
    UChar piece[kPieceMax];
    UErrorCode status = U_ZERO_ERROR;
    const std::int32_t length = unorm2_getDecomposition(nfkd(), code, piece, kPieceMax, &status);
    if (length < 0 || U_FAILURE(status)) codes.emplace_back(u_getCombiningClass(code), code);
    for (std::int32_t at = 0; at < length && U_SUCCESS(status);) {
      const UChar32 part = next_code_point(piece, length, at);
      codes.emplace_back(u_getCombiningClass(part), part);
    }
  }
  const auto is_starter = [](const auto& entry) { return entry.first == 0; };
  for (auto begin = codes.begin(); begin != codes.end();) {
    const auto end = std::find_if(begin + 1, codes.end(), is_starter);
    std::stable_sort(begin, end, [](const auto& a, const auto& b) { return a.first < b.first; });
    begin = end;
  }
  std::u16string text;
  for (const auto& [combining_class, code] : codes) {
    if (code >= 0x10000) text += static_cast<char16_t>(U16_LEAD(code));
    text += static_cast<char16_t>(code >= 0x10000 ? U16_TRAIL(code) : code);
  }
  return text;
}

}  // namespace

std::string_view WordNormaliser::normalise(std::string_view word) {
  if (word.size() > kUnitsMax) return normalise_unicode(word);
  std::size_t size = 0;
  for (const char c : word) {
    if (ascii::is_high(c)) return normalise_unicode(word);
    const char kept = kAscii[static_cast<unsigned char>(c)];
    ascii_[size] = kept;
    size += kept != 0 ? 1 : 0;
  }
  return {ascii_.data(), size};
}

std::string_view WordNormaliser::normalise_unicode(std::string_view word) {
  constexpr auto kWordUnitsMax = static_cast<std::int32_t>(kUnitsMax);
  UChar units[kWordUnitsMax];
  UChar normal[kWordUnitsMax];
  std::int32_t size = 0;
  UErrorCode status = U_ZERO_ERROR;
  out_.clear();
  if (word.size() > kUnitsMax * U8_MAX_LENGTH) return {};
  u_strFromUTF8WithSub(units, kWordUnitsMax, &size, word.data(),
                       static_cast<std::int32_t>(word.size()), 0xFFFD, nullptr, &status);
  if (U_FAILURE(status)) return {};
  const UChar* from = units;
  if (unorm2_quickCheck(nfkc(), units, size, &status) != UNORM_YES) {
    std::u16string ordered;
    if (has_many_marks(units, size)) {
      ordered = decompose(units, size);
      from = ordered.data();
      size = static_cast<std::int32_t>(ordered.size());
    }
    size = unorm2_normalize(nfkc(), from, size, normal, kWordUnitsMax, &status);
    if (U_FAILURE(status)) return {};
    from = normal;
  }
  for (std::int32_t i = 0; i < size;) {
    const UChar32 code = next_code_point(from, size, i);
    const auto category = static_cast<std::uint32_t>(u_charType(code));
    if (u_isgraph(code) == 0 || (kKeptCategories >> category & 1) == 0) continue;
    append_utf8(out_, u_tolower(code));
  }
  return out_;
}

}  // namespace shingled::mime
