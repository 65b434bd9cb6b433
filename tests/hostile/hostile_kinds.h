#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::hostile {

/// A way to make a message dear to whoever reads it. Deterministic: the same size is the same
/// message, on any machine.
struct HostileKind {
  std::string name;                                    ///< theme first, as in "html-nested-links"
  std::string why;                                     ///< what it hopes to hurt
  std::function<std::string(std::size_t bytes)> make;  ///< a whole message of about so many bytes
};

/// All of them, theme by theme; names are unique.
const std::vector<HostileKind>& hostile_kinds();

/// nullptr if there is none of that name.
const HostileKind* find_kind(std::string_view name);

}  // namespace shingled::hostile
