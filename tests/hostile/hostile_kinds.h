#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::hostile {

/// A way to make a message that is expensive to read. Deterministic: the same size gives the same
/// message on any machine.
struct HostileKind {
  std::string name;  ///< theme first, as in "html-nested-links"
  std::string why;   ///< what should be expensive
  std::function<std::string(std::size_t bytes)>
      make;  ///< a complete message of about `bytes` bytes
};

/// All kinds, ordered by theme; names are unique.
const std::vector<HostileKind>& hostile_kinds();

/// nullptr if no kind has that name.
const HostileKind* find_kind(std::string_view name);

}  // namespace shingled::hostile
