#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// A text as one line, with the starts of its lines. It is split into words or hashed directly.
struct Oneline {
  std::string text;
  /// Offsets in `text` after the space that replaces a line break; ascending, may repeat.
  std::vector<std::uint32_t> line_starts;
};

enum class TextForm : std::uint8_t { kPlain, kHtml };
enum class TextBytes : std::uint8_t {
  kUtf8,
  kRaw,  ///< ASCII with bytes of an unknown charset
};

/// Replaces each run of line breaks by a space. Drops the indentation after it and, in UTF-8, the
/// zero-width characters that split words.
///
/// Input:   any bytes.
/// Errors: none.
/// Threads: stateless.
/// Cost: one pass, O(input).
/// Source:  HASHING.md section 8; a break inside `<...` in plain text vanishes.
Oneline make_oneline(std::string_view content, TextForm form, TextBytes bytes = TextBytes::kUtf8);

}  // namespace shingled::mime
