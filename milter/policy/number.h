#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shingled::milter::policy {

__extension__ using Wide = unsigned __int128;

inline constexpr std::uint64_t kMillion = 1'000'000;

/// A number of a condition as it was written: "100", "0.3", "10M". It is exact, so that 7 of 10000
/// is 0.07%.
struct Number {
  std::uint64_t millionths = 0;
  char unit = 0;  ///< K, M, G or T: powers of 1024; 0 = none

  /// Its value in millionths, with the unit.
  [[nodiscard]] Wide value() const;
  [[nodiscard]] bool is_whole() const { return millionths % kMillion == 0; }
  /// Rounded down; without the unit.
  [[nodiscard]] std::uint64_t whole() const { return millionths / kMillion; }
  friend bool operator==(const Number&, const Number&) = default;
};

/// The most that a number may be, without its unit.
inline constexpr std::uint64_t kNumberMax = 9'000'000'000'000;

/// Reads digits, with up to six decimals and one of the units K, M, G and T in either case. nullopt
/// for other text, and for more than kNumberMax.
std::optional<Number> parse_number(std::string_view text);
/// The shortest text that parse_number reads as this number.
std::string to_string(const Number& number);

}  // namespace shingled::milter::policy
