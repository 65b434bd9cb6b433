#pragma once

#include <cstddef>
#include <string_view>

#include "mime/charset/utf8.h"

namespace shingled::mime {

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

}  // namespace shingled::mime
