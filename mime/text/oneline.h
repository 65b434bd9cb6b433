#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// A text as one line, and where its lines began: what is split into words and hashed directly.
struct Oneline {
  std::string text;
  /// Offsets in `text` just behind the space each line break became; ascending, may repeat.
  std::vector<std::uint32_t> line_starts;
};

enum class TextForm : std::uint8_t { kPlain, kHtml };
enum class TextBytes : std::uint8_t {
  kUtf8,
  kRaw,  ///< ASCII with bytes of unknown meaning in between
};

/// Makes each run of line breaks one space, drops the indentation behind it and, of UTF-8, the
/// zero-width characters that split words.
///
/// Input:   any bytes.
/// Errors: none.
/// Threads: stateless.
/// Cost: one pass, O(input).
/// Source:  HASHING.md section 8; a break inside `<...` of a plain text vanishes whole.
Oneline make_oneline(std::string_view content, TextForm form, TextBytes bytes = TextBytes::kUtf8);

}  // namespace shingled::mime
