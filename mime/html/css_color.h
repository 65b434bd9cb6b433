#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mime/html/css_tokenizer.h"

namespace shingled::mime {

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  std::uint8_t alpha = 255;
  friend bool operator==(const Color&, const Color&) = default;
};

/// The visible difference of two colours: 0 if equal, about 3 for black and white.
double color_distance(const Color& a, const Color& b);

/// Parses the value of the attributes color and bgcolor: a lower-case name or "#rrggbb".
std::optional<Color> parse_color_attribute(std::string_view text);

/// The colour of a lower-case name, also "transparent"; nullopt for another word.
/// Threads: stateless.
std::optional<Color> named_color(std::string_view name);

/// The colour of three, six or eight hexadecimal digits without the #; nullopt for other numbers of
/// characters. A character that is not such a digit counts as 0.
/// Threads: stateless.
std::optional<Color> hex_color(std::string_view digits);

/// The channel that an argument of a colour function says: in percent, or a number of `unit`s. What
/// is beyond 0 and 255 is cut off.
/// Threads: stateless.
std::uint8_t color_channel(const CssToken& argument, double unit);

/// Reads the rest of a colour function after its name, `rgb`, `rgba`, `hsl` or `hsla`, up to its
/// parenthesis; nested functions are skipped. nullopt for other functions and other arguments.
/// Threads: stateless.
std::optional<Color> read_color_function(CssTokenizer& css, std::string_view name);

/// The colour of hsl(): the hue in degrees of any sign and size, of which rspamd takes the whole
/// part, saturation and lightness in percent; what is beyond 0 and 100 is cut off.
/// Threads: stateless.
/// Source:  CSS Color Module Level 4, section 7.
Color hsl_color(double hue, double saturation, double lightness);

}  // namespace shingled::mime
