#include "milter/policy/number.h"

#include <fmt/format.h>

#include "config/base/ascii.h"
#include "config/base/number_text.h"

namespace shingled::milter::policy {

namespace {

constexpr std::string_view kUnits = "KMGT";
constexpr std::size_t kDecimalsMax = 6;

}  // namespace

Wide Number::value() const {
  if (unit == 0) return millionths;
  return Wide{millionths} << 10U * (kUnits.find(unit) + 1);
}

std::optional<Number> parse_number(std::string_view text) {
  Number number;
  if (!text.empty() && kUnits.find(ascii::to_upper(text.back())) != std::string_view::npos) {
    number.unit = ascii::to_upper(text.back());
    text.remove_suffix(1);
  }
  const std::size_t dot = text.find('.');
  const auto whole = parse_whole<std::uint64_t>(text.substr(0, dot), 0, kNumberMax);
  if (!whole) return std::nullopt;
  number.millionths = *whole * kMillion;
  if (dot == std::string_view::npos) return number;
  std::string decimals(text.substr(dot + 1));
  if (decimals.empty() || decimals.size() > kDecimalsMax) return std::nullopt;
  decimals.resize(kDecimalsMax, '0');
  const auto part = parse_whole<std::uint64_t>(decimals);
  if (!part) return std::nullopt;
  number.millionths += *part;
  return number;
}

std::string to_string(const Number& number) {
  std::string text = fmt::format("{}", number.whole());
  if (!number.is_whole()) {
    text += fmt::format(".{:06}", number.millionths % kMillion);
    text.erase(text.find_last_not_of('0') + 1);
  }
  if (number.unit != 0) text += number.unit;
  return text;
}

}  // namespace shingled::milter::policy
