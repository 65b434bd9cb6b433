#pragma once

#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace shingled::mime {

/// Bytes of the well-formed UTF-8 sequence at `at`; 0 if there is none.
inline std::size_t utf8_sequence_size(std::string_view bytes, std::size_t at) {
  std::int32_t end = 0;
  UChar32 c = 0;
  std::array<std::uint8_t, 4> rest{};
  const auto size = static_cast<std::int32_t>(std::min(bytes.size() - at, rest.size()));
  std::memcpy(rest.data(), bytes.data() + at, static_cast<std::size_t>(size));
  U8_NEXT(rest.data(), end, size, c);
  return c < 0 ? 0 : static_cast<std::size_t>(end);
}

}  // namespace shingled::mime
