#include "config/base/number_text.h"

#include <array>
#include <cmath>

namespace shingled {

std::optional<double> parse_real(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  const bool whole = failure == std::errc{} && stopped == end;
  return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string shortest_text(double number) {
  std::array<char, 32> buffer{};  // 24 bytes at most, as "-2.2250738585072014e-308"
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

}  // namespace shingled
