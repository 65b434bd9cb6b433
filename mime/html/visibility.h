#pragma once

#include <cstdint>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/html/html_tree.h"

namespace shingled::mime {

enum class Visibility : std::uint8_t {
  kShown,
  kTransparent,  ///< takes its place, but cannot be read
  kHidden,
};

/// How one element is printed.
struct Appearance {
  Visibility visibility = Visibility::kShown;
  ElementKind kind = ElementKind::kInline;
};

/// The appearance of every element of `tree`, by index (hashing.md 7.4).
/// Threads: stateless.   Cost: linear in the tree.
std::vector<Appearance> compute_appearance(const HtmlTree& tree);

}  // namespace shingled::mime
