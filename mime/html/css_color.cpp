#include "mime/html/css_color.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "config/base/ascii.h"
#include "mime/model/escapes.h"

namespace shingled::mime {
namespace {

struct NamedColor {
  std::string_view name;
  std::uint32_t rgb;
};
constexpr NamedColor kColors[] = {
#include "mime/html/color_table.inc"
};

/// A character that is not a digit counts as 0.
std::uint8_t hex_value(char c) {
  return is_hex(c) ? static_cast<std::uint8_t>(hex_digit(c)) : std::uint8_t{0};
}

/// Arguments of a colour function that are read.
constexpr std::size_t kColorArgumentsMax = 4;

}  // namespace

std::optional<Color> named_color(std::string_view name) {
  const auto* found = std::lower_bound(
      std::begin(kColors), std::end(kColors), name,
      [](const NamedColor& color, std::string_view wanted) { return color.name < wanted; });
  if (found == std::end(kColors) || found->name != name) {
    return name == "transparent" ? std::optional<Color>(Color{0, 0, 0, 0}) : std::nullopt;
  }
  return Color{static_cast<std::uint8_t>(found->rgb >> 16),
               static_cast<std::uint8_t>((found->rgb >> 8) & 0xFF),
               static_cast<std::uint8_t>(found->rgb & 0xFF)};
}

std::optional<Color> hex_color(std::string_view digits) {
  const auto pair = [digits](std::size_t at) {
    return static_cast<std::uint8_t>(hex_value(digits[at]) * 16 + hex_value(digits[at + 1]));
  };
  const auto twice = [digits](std::size_t at) {
    return static_cast<std::uint8_t>(hex_value(digits[at]) * 17);
  };
  switch (digits.size()) {
    case 3:
      return Color{twice(0), twice(1), twice(2)};
    case 6:
      return Color{pair(0), pair(2), pair(4)};
    case 8:
      return Color{pair(0), pair(2), pair(4), pair(6)};
    default:
      return std::nullopt;
  }
}

double color_distance(const Color& a, const Color& b) {
  const double red = a.red - b.red;
  const double green = a.green - b.green;
  const double blue = a.blue - b.blue;
  const double mean_red = (a.red + b.red) / 2.0;
  return std::sqrt(2 * red * red + 4 * green * green + 3 * blue * blue +
                   mean_red * (red * red - blue * blue) / 256) /
         256;
}

std::optional<Color> parse_color_attribute(std::string_view text) {
  if (text.starts_with('#')) return hex_color(text.substr(1));
  return named_color(text);
}

std::uint8_t color_channel(const CssToken& argument, double unit) {
  const double value = argument.number * (argument.text == "%" ? 2.55 : unit);
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

std::optional<Color> read_color_function(CssTokenizer& css, std::string_view name) {
  std::array<CssToken, kColorArgumentsMax> arguments;
  std::size_t count = 0;
  std::size_t depth = 1;
  bool clean = true;
  for (CssToken token = css.next(); token.kind != CssTokenKind::kEnd; token = css.next()) {
    if (token.kind == CssTokenKind::kFunction || token.is('(')) {
      clean = false;
      ++depth;
    }
    if (token.is(')') && --depth == 0) break;
    if (token.kind != CssTokenKind::kNumber || !clean) continue;
    if (count == kColorArgumentsMax) clean = false;
    if (clean) arguments[count++] = token;
  }
  const std::string lower = ascii::to_lower(name);
  const bool alpha = lower == "rgba" || lower == "hsla";
  const bool hsl = lower == "hsl" || lower == "hsla";
  if (!clean || (!alpha && !hsl && lower != "rgb") || count != (alpha ? 4 : 3)) return std::nullopt;
  const auto channel = [&arguments](std::size_t i, double unit) {
    return color_channel(arguments[i], unit);
  };
  const auto hue = [](const CssToken& angle) {
    return angle.text == "%" ? angle.number * 3.6 : angle.number;
  };
  Color color = hsl ? hsl_color(hue(arguments[0]), arguments[1].number, arguments[2].number)
                    : Color{channel(0, 1), channel(1, 1), channel(2, 1)};
  if (alpha) color.alpha = channel(3, 255);
  return color;
}

Color hsl_color(double hue, double saturation, double lightness) {
  constexpr double kTurn = 360;
  constexpr double kSixth = 60;
  const double s = std::clamp(saturation / 100, 0.0, 1.0);
  const double l = std::clamp(lightness / 100, 0.0, 1.0);
  const double h = std::fmod(std::fmod(std::trunc(hue), kTurn) + kTurn, kTurn) / kSixth;
  // The colour with this hue that has neither white nor black in it, then these.
  const double chroma = (1 - std::abs(2 * l - 1)) * s;
  const double second = chroma * (1 - std::abs(std::fmod(h, 2) - 1));
  const double least = l - chroma / 2;
  const double channels[6][3] = {{chroma, second, 0}, {second, chroma, 0}, {0, chroma, second},
                                 {0, second, chroma}, {second, 0, chroma}, {chroma, 0, second}};
  const auto& rgb = channels[static_cast<std::size_t>(h) % 6];
  const auto channel = [least](double part) {
    return static_cast<std::uint8_t>(std::clamp((part + least) * 255, 0.0, 255.0));
  };
  return {channel(rgb[0]), channel(rgb[1]), channel(rgb[2])};
}

}  // namespace shingled::mime
