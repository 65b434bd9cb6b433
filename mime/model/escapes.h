#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/base/ascii.h"

namespace shingled::mime {

/// hex_digit() of a character that is not a hexadecimal digit.
inline constexpr unsigned kNotHex = 16;

/// The value of a hexadecimal digit in either case, 0 to 15, or kNotHex.
constexpr unsigned hex_digit(char c) {
  if (ascii::is_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = ascii::to_lower(c);
  return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : kNotHex;
}
constexpr bool is_hex(char c) { return hex_digit(c) != kNotHex; }

/// The byte that "%41" at `at` stands for; nullopt if `text` has no percent escape there.
std::optional<char> percent_escape(std::string_view text, std::size_t at);

/// `text` with its percent escapes decoded; a "%" without two digits after it stays.
std::string percent_decoded(std::string_view text);

}  // namespace shingled::mime
