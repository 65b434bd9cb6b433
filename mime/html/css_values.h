#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/html/box_style.h"
#include "mime/html/css_tokenizer.h"

namespace shingled::mime {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  std::uint8_t alpha = 255;
  friend bool operator==(const Color&, const Color&) = default;
};

/// How far apart two colours look: 0 = equal, black and white are about 3.
double color_distance(const Color& a, const Color& b);

/// A colour as the attributes color and bgcolor write it: lower-case name or "#rrggbb".
std::optional<Color> parse_color_attribute(std::string_view text);

enum class Display : std::uint8_t { kNone, kInline, kBlock, kCell };

/// A font size in whole pixels, or in whole percents of the parent's.
struct FontSize {
  double value = 0;
  bool percent = false;
};

/// What the declarations of one style say; what is absent was not said.
/// Threads: a value.
struct StyleValues {
  std::optional<Color> color;
  std::optional<Color> background;
  std::optional<FontSize> font_size;
  std::optional<double> opacity;
  std::optional<Display> display;
  BoxStyle box;                  ///< nothing with 3.4, which does not read it
  bool display_seen = false;     ///< `display` the property, not visibility
  bool visibility_seen = false;  ///< `visibility` sets `display`, too

  /// Adds a style that comes later: in 3.4 the first value of a property stays, in 4.1.6 the last.
  void merge(const StyleValues& later, Compat compat);
};

/// Reads the declarations of a rule behind its `{`, up to and including its `}`.
/// Threads: stateless.
/// Cost: linear.
StyleValues parse_rule_body(CssTokenizer& css, Compat compat);

/// The declarations of a style attribute.
StyleValues parse_style_attribute(std::string_view css, Compat compat);

}  // namespace shingled::mime
