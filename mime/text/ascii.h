#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace shingled::mime::ascii {

/// ASCII classes that do not ask the process locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_alnum(char c) { return is_digit(c) || is_alpha(c); }
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }
constexpr bool is_graph(char c) { return c > ' ' && c < 0x7F; }
constexpr bool is_punct(char c) { return is_graph(c) && !is_alnum(c); }
constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

/// Whether `text` begins with `lower`, which is lower case, in any case of its own.
constexpr bool starts_with_lower(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (to_lower(text[i]) != lower[i]) return false;
  }
  return true;
}

/// A set of ASCII characters as a table.
class CharSet {
 public:
  constexpr explicit CharSet(std::string_view members) {
    for (const char c : members) table_[static_cast<unsigned char>(c)] = true;
  }
  [[nodiscard]] constexpr bool has(char c) const { return table_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> table_{};
};

}  // namespace shingled::mime::ascii
