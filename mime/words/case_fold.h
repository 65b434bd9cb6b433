#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shingled::mime {

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
