#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/options/hash_options.h"

namespace shingled::mime {

/// How an element is printed and nested (HASHING.md 7.1-7.3).
enum class ElementKind : std::uint8_t {
  kInline,
  kBlock,  ///< a newline before and after; table rows and columns too
  kCell,   ///< a space before and after
};

struct ElementInfo {
  std::string_view name;
  ElementKind kind = ElementKind::kInline;
  bool empty = false;       ///< without content: br, img
  bool head = false;        ///< belongs to the head and is not printed: style, title
  std::uint8_t number = 0;  ///< unique, in the order of the tables
};

/// Numbers of elements are below this.
inline constexpr std::size_t kElementsMax = 256;

/// The element with a lower-case name; nullptr if HTML does not have it. 4.1.6 knows HTML 5, 3.4
/// only HTML 4.
/// Threads: stateless.
const ElementInfo* find_element(std::string_view name, Compat compat);

}  // namespace shingled::mime
