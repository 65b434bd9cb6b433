#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/html/box_style.h"
#include "mime/html/css_color.h"
#include "mime/html/css_tokenizer.h"

namespace shingled::mime {

enum class Display : std::uint8_t { kNone, kInline, kBlock, kCell };

/// A font size in whole pixels, or in whole percent of the parent's.
struct FontSize {
  double value = 0;
  bool percent = false;
};

/// The size that a number with a unit says; without a known unit it is in pixels.
FontSize to_font_size(const CssToken& number);

/// The declarations of one style. An absent value was not set.
/// Threads: a value.
struct StyleValues {
  std::optional<Color> color;
  std::optional<Color> background;
  std::optional<FontSize> font_size;
  std::optional<double> opacity;
  std::optional<Display> display;
  BoxStyle box;                  ///< empty with 3.4, which does not read it
  bool display_seen = false;     ///< the property `display` was set
  bool visibility_seen = false;  ///< the property `visibility` was set, which sets `display`, too

  /// Adds a later style. Of repeated properties the first stays in 3.4, the last in 4.1.6.
  void merge(const StyleValues& later, Compat compat);
};

/// Reads the declarations of a rule after its `{`, up to and including its `}`.
/// Threads: stateless.
/// Cost: linear.
StyleValues parse_rule_body(CssTokenizer& css, Compat compat);

/// The declarations of a style attribute.
StyleValues parse_style_attribute(std::string_view css, Compat compat);

}  // namespace shingled::mime
