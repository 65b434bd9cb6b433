#pragma once

#include <optional>
#include <string_view>

#include "mime/html/box_style.h"
#include "mime/html/css_tokenizer.h"
#include "mime/html/css_values.h"

namespace shingled::mime {

/// The declarations of one style that decide whether text can be read, as a browser understands
/// them. An absent value was not set. StyleValues is the same as rspamd understands it.
/// Threads: a value.
struct ShownStyle {
  std::optional<std::optional<Color>> color;  ///< nullopt inside: that of the element around
  std::optional<Color> background;
  std::optional<bool> picture;  ///< of the background, also a gradient
  std::optional<FontSize> font_size;
  std::optional<double> opacity;
  std::optional<bool> removed;    ///< display: none
  std::optional<bool> invisible;  ///< visibility: hidden
  BoxStyle box;

  /// Takes the values that `later` sets.
  void override_with(const ShownStyle& later);
  [[nodiscard]] bool empty() const;
};

/// A block of declarations: those with `!important` win over all others.
struct ShownBlock {
  ShownStyle normal;
  ShownStyle important;
};

/// Reads the declarations of a rule after its `{`, up to and including its `}`. What is malformed
/// is left out up to the next semicolon, as CSS Syntax Level 3, section 9 says.
/// Threads: stateless.
/// Cost:    linear.
ShownBlock read_shown_block(CssTokenizer& css);

/// The declarations of a style attribute.
ShownBlock read_shown_attribute(std::string_view css);

/// The colour of the attributes bgcolor, color and text, where browsers take anything: `fff`,
/// `Red`, `#abc`.
/// Source: HTML, "rules for parsing a legacy colour value".
std::optional<Color> read_legacy_color(std::string_view text);

}  // namespace shingled::mime
