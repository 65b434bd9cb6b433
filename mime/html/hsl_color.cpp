#include "mime/html/hsl_color.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace shingled::mime {

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
