#pragma once

#include <cstdint>
#include <string_view>

namespace shingled::mime {

/// Groups of languages with one script, which only their words distinguish.
enum class Alphabet : std::uint8_t { kLatin, kCyrillic, kDevanagari, kArabic };

/// What the letters of a text say about its language.
struct ScriptGuess {
  std::string_view language;  ///< empty if the script alone does not decide
  bool cyrillic = false;
  bool devanagari = false;
  bool arabic = false;
};

/// Counts the letters of a text by Unicode block (HASHING.md 12.1). A single Greek or Han letter
/// among Latin ones decides.
/// Threads: stateless.
/// Cost: one pass, O(text).
ScriptGuess guess_script(std::string_view text);

}  // namespace shingled::mime
