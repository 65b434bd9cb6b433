#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/html/html_tree.h"
#include "mime/html/style_sheet.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

enum class Visibility : std::uint8_t {
  kShown,
  kTransparent,  ///< takes up space, but cannot be read
  kHidden,
};

/// How one element is printed.
struct Appearance {
  Visibility visibility = Visibility::kShown;
  ElementKind kind = ElementKind::kInline;
};

/// The rules of all closed <style> elements of `tree`, whose document is `html`.
StyleSheet collect_style_sheet(const HtmlTree& tree, std::string_view html, Compat compat,
                               std::uint32_t rules_max, WorkMeter& meter);

/// The appearance of every element of `tree`, by index: its style attribute, then its attributes,
/// then the sheet, then what it inherits (HASHING.md 7.4).
/// Threads: stateless.
/// Cost: linear in the tree and its attributes.
std::vector<Appearance> compute_appearance(const HtmlTree& tree, const StyleSheet& sheet,
                                           Compat compat, WorkMeter& meter);

}  // namespace shingled::mime
