#pragma once

#include <string>
#include <string_view>

namespace shingled::mime {

// The only door to ICU's converters and its detector (hashing.md section 6).
// Threads: any; converters are kept per thread, at most kConvertersMax of them.

inline constexpr std::size_t kConvertersMax = 16;

/// A body as UTF-8: a view of the input where it is UTF-8 already, else of `storage`.
struct DecodedText {
  std::string_view utf8;
  std::string charset;  ///< what it was taken for: "utf-8", the label or a guess
};

bool is_valid_utf8(std::string_view bytes);

/// Turns a text body into UTF-8: a known charset is believed, even if the bytes are valid UTF-8;
/// for none, ASCII, UTF-8 or an unknown one valid UTF-8 is kept and anything else is guessed: an
/// East Asian charset or windows-1252.
///
/// Input:   any bytes, any label. Output: see DecodedText; invalid input becomes U+FFFD.
/// Errors:  none.   Cost: one pass, no copy for UTF-8.
DecodedText decode_text(std::string_view bytes, std::string_view label, std::string& storage);

/// The same for encoded words of a header, where rspamd does not guess: what should be UTF-8 or
/// ASCII gets a "?" for each byte that is not; of an unknown charset only UTF-8 is kept.
std::string decode_word(std::string_view bytes, std::string_view label);

/// Valid UTF-8 stays, each byte that is part of none becomes U+FFFD.
std::string replace_invalid_utf8(std::string_view bytes);

}  // namespace shingled::mime
