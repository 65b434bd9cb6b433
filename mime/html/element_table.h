#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/options/hash_options.h"

namespace shingled::mime {

/// How an element prints and nests (HASHING.md 7.1-7.3).
enum class ElementKind : std::uint8_t {
  kInline,
  kBlock,  ///< a newline before and after; table rows and columns too
  kCell,   ///< a space before and after
};

struct ElementInfo {
  std::string_view name;
  ElementKind kind = ElementKind::kInline;
  bool empty = false;       ///< never has content: br, img
  bool head = false;        ///< belongs into the head and is not printed: style, title
  std::uint8_t number = 0;  ///< of its own, in the order of the tables
};

/// Numbers of elements are below this.
inline constexpr std::size_t kElementsMax = 256;

/// The properties of a lower-case name, or nullptr for one that HTML does not have. 4.1.6 knows the
/// HTML 5 elements, 3.4 only HTML 4.
/// Threads: stateless.
const ElementInfo* find_element(std::string_view name, Compat compat);

}  // namespace shingled::mime
