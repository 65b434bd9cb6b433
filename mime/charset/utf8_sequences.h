#pragma once

#include <unicode/utf8.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shingled::mime {

/// Bytes of the well-formed UTF-8 sequence at `at`; 0 if there is none.
inline std::size_t utf8_sequence_size(std::string_view bytes, std::size_t at) {
  std::int32_t end = 0;
  UChar32 c = 0;
  const auto* rest = reinterpret_cast<const std::uint8_t*>(bytes.data()) + at;
  const auto size =
      static_cast<std::int32_t>(std::min<std::size_t>(bytes.size() - at, U8_MAX_LENGTH));
  U8_NEXT(rest, end, size, c);
  return c < 0 ? 0 : static_cast<std::size_t>(end);
}

}  // namespace shingled::mime
