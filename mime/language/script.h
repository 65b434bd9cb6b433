#pragma once

#include <cstdint>
#include <string_view>

namespace shingled::mime {

/// The groups of languages that are told apart by their words, after the script of the text.
enum class Alphabet : std::uint8_t { kLatin, kCyrillic, kDevanagari, kArabic };

/// What the letters of a text tell about its language before any word is looked at.
struct ScriptGuess {
  std::string_view language;  ///< decided by the script alone; empty if not
  bool cyrillic = false;
  bool devanagari = false;
  bool arabic = false;
};

/// Counts the alphabetic characters of a text by Unicode block (HASHING.md 12.1). One Greek or Han
/// letter among Latin ones decides.
/// Threads: stateless.
/// Cost: one pass, O(text).
ScriptGuess guess_script(std::string_view text);

}  // namespace shingled::mime
