#include "mime/words/letter_fold.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>

#include "config/base/ascii.h"
#include "mime/charset/utf8.h"

namespace shingled::mime {
namespace {

struct LookAlike {
  UChar32 code;
  char letter;
};
constexpr LookAlike kLookAlikes[] = {
#include "mime/words/look_alikes.inc"
};

constexpr UChar32 kGone = 0;

/// Only the context distinguishes i and l, and the capitals I and L.
constexpr char merge_i_and_l(char letter) { return letter == 'i' ? 'l' : letter; }

constexpr std::array<char, 128> kAscii = [] {
  std::array<char, 128> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const char c = static_cast<char>(i);
    table[i] = ascii::is_graph(c) || c == '\n' ? c : '\0';
    if (ascii::is_space(c) && c != '\n') table[i] = ' ';
    if (ascii::is_alpha(c)) table[i] = merge_i_and_l(ascii::to_lower(c));
    if (ascii::is_digit(c)) table[i] = '0';
  }
  table['`'] = '\'';
  return table;
}();

UChar32 look_alike(UChar32 code) {
  const auto* const row =
      std::lower_bound(std::begin(kLookAlikes), std::end(kLookAlikes), code,
                       [](const LookAlike& entry, UChar32 wanted) { return entry.code < wanted; });
  return row != std::end(kLookAlikes) && row->code == code ? row->letter : kGone;
}

bool is_apostrophe(UChar32 code) {
  return code == 0x2018 || code == 0x2019 || code == 0x02BC || code == 0xFF07 || code == 0x00B4;
}

/// Folds a code point that NFKD does not change.
UChar32 fold_plain(UChar32 code) {
  if (code < 0x80) return kAscii[static_cast<std::size_t>(code)];
  if (is_apostrophe(code)) return '\'';
  if (u_hasBinaryProperty(code, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0) return kGone;
  const auto category = U_MASK(u_charType(code));
  if ((category & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK | U_GC_CC_MASK)) != 0) return kGone;
  if ((category & U_GC_N_MASK) != 0) return '0';
  if ((category & (U_GC_L_MASK | U_GC_MC_MASK)) == 0) return ' ';
  UChar32 letter = look_alike(code);
  if (letter == kGone) letter = look_alike(u_tolower(code));
  return letter == kGone ? u_tolower(code) : merge_i_and_l(static_cast<char>(letter));
}

/// A folded code point: up to three code points, the first in the lowest bits.
using Folded = std::uint64_t;
constexpr unsigned kCodeBits = 21;
constexpr Folded kCodeMask = (Folded{1} << kCodeBits) - 1;
constexpr unsigned kCodesMax = 3;

Folded fold_any(UChar32 code) {
  if (is_apostrophe(code)) return '\'';  // U+00B4 would be a space and an accent
  UErrorCode status = U_ZERO_ERROR;
  static const UNormalizer2* const nfkd = unorm2_getNFKDInstance(&status);
  constexpr std::int32_t kUnitsMax = 32;  // the longest decomposition has 18
  std::array<UChar, kUnitsMax> units{};
  const std::int32_t size = unorm2_getDecomposition(nfkd, code, units.data(), kUnitsMax, &status);
  if (size < 0 || U_FAILURE(status)) return static_cast<Folded>(fold_plain(code));
  Folded folded = 0;
  unsigned count = 0;
  for (std::int32_t i = 0; i < size && count < kCodesMax; ++i) {
    const UChar32 unit = units[static_cast<std::size_t>(i)];
    // Decompositions above the BMP are of ideographs and musical notes, which stay as they are.
    if (u_charType(unit) == U_SURROGATE) return static_cast<Folded>(fold_plain(code));
    const UChar32 plain = fold_plain(unit);
    if (plain == kGone) continue;
    folded |= static_cast<Folded>(plain) << (kCodeBits * count++);
  }
  return folded;
}

/// The ranges with styled letters and letters that look like Latin ones. Other code points
/// (ideographs, Hangul syllables, rare scripts) stay as they are.
struct Range {
  UChar32 begin;
  UChar32 end;
};
constexpr Range kRanges[] = {{0, 0x2E80},       {0x3000, 0x3400},   {0xA4D0, 0xAC00},
                             {0xF900, 0x10000}, {0x1D400, 0x1D800}, {0x1F100, 0x1F200}};

class FoldTable {
 public:
  FoldTable() {
    for (std::size_t r = 0; r < std::size(kRanges); ++r) {
      const auto [begin, end] = kRanges[r];
      rows_[r] = std::make_unique<Folded[]>(static_cast<std::size_t>(end - begin));
      for (UChar32 code = begin; code < end; ++code) {
        rows_[r][static_cast<std::size_t>(code - begin)] = fold_any(code);
      }
    }
  }

  [[nodiscard]] Folded of(UChar32 code) const {
    for (std::size_t r = 0; r < std::size(kRanges) && code >= kRanges[r].begin; ++r) {
      if (code < kRanges[r].end) return rows_[r][static_cast<std::size_t>(code - kRanges[r].begin)];
    }
    return static_cast<Folded>(fold_plain(code));
  }

 private:
  std::array<std::unique_ptr<Folded[]>, std::size(kRanges)> rows_;
};

/// Folds the ASCII at the front of `text`. Returns its size.
std::size_t fold_ascii(std::string_view text, std::string& out) {
  const auto end = std::find_if(text.begin(), text.end(), ascii::is_high);
  const auto size = static_cast<std::size_t>(end - text.begin());
  std::size_t to = out.size();
  out.resize(to + size);
  for (const char c : text.substr(0, size)) {
    const char folded = kAscii[static_cast<unsigned char>(c)];
    out[to] = folded;
    to += folded != kGone ? 1 : 0;
  }
  out.resize(to);
  return size;
}

}  // namespace

void fold_letters(std::string_view utf8, std::string& out) {
  static const FoldTable table;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(utf8.data());
  for (std::size_t at = 0; at < utf8.size();) {
    at += fold_ascii(utf8.substr(at), out);
    if (at == utf8.size()) return;
    UChar32 code = 0;
    U8_NEXT(bytes, at, utf8.size(), code);
    if (code < 0) {
      out += ' ';
      continue;
    }
    for (Folded folded = table.of(code); folded != 0; folded >>= kCodeBits) {
      append_utf8(out, static_cast<UChar32>(folded & kCodeMask));
    }
  }
}

FoldedWords::FoldedWords(std::string_view words) {
  std::string folded;
  fold_letters(words, folded);
  for (std::size_t at = 0; at < folded.size();) {
    const std::size_t end = std::min(folded.find(' ', at), folded.size());
    if (end > at) words_.push_back(folded.substr(at, end - at));
    at = end + 1;
  }
  std::ranges::sort(words_, {}, [](const std::string& word) { return first_bytes(word); });
  for (const std::string& word : words_) {
    const std::size_t row = first_bytes(word);
    lengths_[row] |= bit_of(word);
    ++begins_[row + 1];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
}

bool FoldedWords::has(std::string_view word) const {
  const std::size_t row = first_bytes(word);
  if ((lengths_[row] & bit_of(word)) == 0) return false;
  const auto same = std::span(words_).subspan(begins_[row], begins_[row + 1] - begins_[row]);
  return std::ranges::find(same, word) != same.end();
}

std::size_t FoldedWords::first_bytes(std::string_view word) {
  const auto byte = [&](std::size_t i) -> std::size_t {
    return i < word.size() ? static_cast<unsigned char>(word[i]) : 0;
  };
  return (byte(0) * 37 + byte(1) * 5 + byte(2)) % kRows;
}

std::uint64_t FoldedWords::bit_of(std::string_view word) {
  return std::uint64_t{1} << std::min<std::size_t>(word.size(), 63);
}

namespace {

constexpr std::size_t kFoldGrowthMax = 18;  // the longest decomposition
constexpr std::size_t kUtf8BytesAUnit = 3;

std::string_view front_of(std::string_view utf8) {
  std::size_t end = std::min(utf8.size(), kCaseFoldedBytesMax);
  while (end > 0 && end < utf8.size() && is_utf8_continuation(utf8[end])) --end;
  return utf8.substr(0, end);
}

}  // namespace

std::string fold_case(std::string_view utf8) {
  utf8 = front_of(utf8);
  if (std::none_of(utf8.begin(), utf8.end(), ascii::is_high)) return ascii::to_lower(utf8);
  UErrorCode status = U_ZERO_ERROR;
  static const UNormalizer2* const folder = unorm2_getNFKCCasefoldInstance(&status);
  std::array<UChar, kCaseFoldedBytesMax> units{};
  std::array<UChar, kCaseFoldedBytesMax * kFoldGrowthMax> folded{};
  std::int32_t size = 0;
  u_strFromUTF8WithSub(units.data(), static_cast<std::int32_t>(units.size()), &size, utf8.data(),
                       static_cast<std::int32_t>(utf8.size()), 0xFFFD, nullptr, &status);
  if (U_FAILURE(status)) return ascii::to_lower(utf8);
  size = unorm2_normalize(folder, units.data(), size, folded.data(),
                          static_cast<std::int32_t>(folded.size()), &status);
  if (U_FAILURE(status)) return ascii::to_lower(utf8);
  std::string out(static_cast<std::size_t>(size) * kUtf8BytesAUnit, '\0');
  std::int32_t bytes = 0;
  u_strToUTF8(out.data(), static_cast<std::int32_t>(out.size()), &bytes, folded.data(), size,
              &status);
  if (U_FAILURE(status)) return ascii::to_lower(utf8);
  out.resize(static_cast<std::size_t>(bytes));
  out.resize(front_of(out).size());
  return out;
}

}  // namespace shingled::mime
