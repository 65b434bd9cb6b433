#pragma once

#include <unicode/utf8.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace shingled::mime {

/// Appends a code point, which must be one, as UTF-8.
inline void append_utf8(std::string& out, UChar32 code) {
  std::uint8_t bytes[U8_MAX_LENGTH];
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, static_cast<std::uint32_t>(code));
  out.append(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace shingled::mime
