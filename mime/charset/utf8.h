#pragma once

#include <unicode/utf8.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shingled::mime {

/// U+FFFD, which takes the place of bytes that are not UTF-8.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

/// Whether a byte is the second, third or fourth of a UTF-8 sequence.
constexpr bool is_utf8_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// The size in bytes of the well-formed UTF-8 sequence at `at`; 0 if there is none.
inline std::size_t utf8_sequence_size(std::string_view bytes, std::size_t at) {
  std::int32_t end = 0;
  UChar32 c = 0;
  const auto* rest = reinterpret_cast<const std::uint8_t*>(bytes.data()) + at;
  const auto size =
      static_cast<std::int32_t>(std::min<std::size_t>(bytes.size() - at, U8_MAX_LENGTH));
  U8_NEXT(rest, end, size, c);
  return c < 0 ? 0 : static_cast<std::size_t>(end);
}

/// Appends a valid code point as UTF-8.
inline void append_utf8(std::string& out, UChar32 code) {
  std::uint8_t bytes[U8_MAX_LENGTH];
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, static_cast<std::uint32_t>(code));
  out.append(reinterpret_cast<const char*>(bytes), size);
}

/// The front of a text, at most `bytes_max` bytes, that does not end inside a character.
/// Threads: stateless.
/// Cost:    constant.
inline std::string_view clipped(std::string_view utf8, std::size_t bytes_max) {
  if (utf8.size() <= bytes_max) return utf8;
  constexpr std::size_t kFurtherBytesMax = 3;
  std::size_t end = bytes_max;
  for (std::size_t i = 0; i < kFurtherBytesMax && end > 0 && is_utf8_continuation(utf8[end]); ++i) {
    --end;
  }
  return utf8.substr(0, end);
}

/// A stretch of a text, in bytes.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< after its last byte
  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

}  // namespace shingled::mime
