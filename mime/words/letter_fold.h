#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// Unifies all ways to write a letter, so that texts are compared as a reader sees them.
///
/// - invisible characters (zero width, soft hyphen, direction and variation marks, controls),
///   accents and other combining marks: removed
/// - styled letters (full width, bold, circled, superscript; NFKD): the plain letter
/// - letters that look like a Latin one (Cyrillic, Greek, Armenian, Cherokee, Lisu, small capitals,
///   letters with a stroke): the Latin letter; `i` becomes `l`
/// - case: lower. Digits and numbers of any script: `0`. Apostrophes: `'`.
/// - ASCII punctuation stays, so that links can be found; line feeds stay; all other characters
/// that
///   are not letters become spaces
///
/// Input:   UTF-8; invalid bytes count as spaces.
/// Output:  appended to `out`, at most three times the input. Folding twice changes nothing.
/// Threads: stateless; a table of 32,000 code points is made at the first call.
/// Cost: O(text).
/// Source:  UAX #15 (NFKD) and UTS #39 (confusables), the latter reduced to look_alikes.inc so that
///          the form does not change with the version of ICU.
void fold_letters(std::string_view utf8, std::string& out);

/// A fixed set of words, folded by fold_letters().
/// Threads: constant.
class FoldedWords {
 public:
  /// `words`: unfolded, separated by single spaces.
  explicit FoldedWords(std::string_view words);

  /// `word`: folded.
  /// Cost:    one bit test for most words that are not in the set; else a few comparisons.
  [[nodiscard]] bool has(std::string_view word) const;

 private:
  static constexpr std::size_t kRows = 1024;
  static std::size_t first_bytes(std::string_view word);
  static std::uint64_t bit_of(std::string_view word);

  std::vector<std::string> words_;                 ///< sorted by first bytes
  std::array<std::uint32_t, kRows + 1> begins_{};  ///< of the words with these first bytes
  std::array<std::uint64_t, kRows> lengths_{};     ///< by first bytes
};

/// Longer texts are cut off.
inline constexpr std::size_t kCaseFoldedBytesMax = 1024;

/// The lower case of a short text, with styled letters (full width, bold, circled) as plain ones
/// and without invisible characters. Other than fold_letters(), it keeps accents, digits, signs and
/// look-alikes.
///
/// Input:   UTF-8; invalid bytes become U+FFFD.
/// Output:  at most kCaseFoldedBytesMax bytes.
/// Threads: any.
/// Cost:    linear for usual text, quadratic in the number of adjacent accents; hence the bound.
/// Source:  NFKC_Casefold of the Unicode Standard, 3.13.
std::string fold_case(std::string_view utf8);

}  // namespace shingled::mime
