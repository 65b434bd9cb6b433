#pragma once

#include <cstddef>

namespace shingled::mime {

/// A stretch of a text, in bytes.
struct TextSpan {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< after its last byte
  friend bool operator==(const TextSpan&, const TextSpan&) = default;
};

}  // namespace shingled::mime
