#pragma once

#include <cstdint>

namespace shingled::mime {

/// The groups of languages that are told apart by their words, after the script of the text.
enum class Alphabet : std::uint8_t { kLatin, kCyrillic, kDevanagari, kArabic };

}  // namespace shingled::mime
