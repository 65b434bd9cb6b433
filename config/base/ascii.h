#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

/// Character classes and case of ASCII alone, whatever the locale. Bytes from 0x80 on are in no
/// class but `is_high` and keep their value.
/// Threads: stateless.
namespace shingled::ascii {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_alnum(char c) { return is_digit(c) || is_alpha(c); }
/// SP, TAB, LF, VT, FF, CR: what isspace(3) accepts in the C locale.
constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }
constexpr bool is_graph(char c) { return c > ' ' && c < 0x7F; }
constexpr bool is_punct(char c) { return is_graph(c) && !is_alnum(c); }

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr char to_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

inline void make_lower(std::string& text) {
  for (char& c : text) c = to_lower(c);
}

inline std::string to_lower(std::string_view text) {
  std::string lower(text);
  make_lower(lower);
  return lower;
}

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

inline bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && equal_ignoring_case(text.substr(0, start.size()), start);
}

/// Whether it is 1 to `most` letters, digits and characters of `further`.
constexpr bool is_word(std::string_view text, std::size_t most, std::string_view further) {
  return !text.empty() && text.size() <= most && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_alnum(c) || further.find(c) != std::string_view::npos;
  });
}

/// The high bit of each byte of eight.
inline constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;

/// Sets the high bit of the first byte of `bytes` that is `wanted`, and of no ASCII byte before it.
constexpr std::uint64_t mark_first(std::uint64_t bytes, char wanted) {
  constexpr std::uint64_t kOnes = kHighBits >> 7;
  return (bytes ^ kOnes * static_cast<unsigned char>(wanted)) - kOnes;
}

/// Where the first of these ASCII characters or of all that is not ASCII lies from `at` on; the end
/// if there is none. Passes eight bytes at a time.
template <char... kWanted>
std::size_t find_any_or_high(std::string_view text, std::size_t at) {
  for (std::uint64_t bytes = 0; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if (((bytes | ... | mark_first(bytes, kWanted)) & kHighBits) != 0) break;
  }
  while (at < text.size() && !is_high(text[at]) && ((text[at] != kWanted) && ...)) ++at;
  return at;
}

/// The same for these ASCII characters alone.
template <char... kWanted>
std::size_t find_any(std::string_view text, std::size_t at) {
  for (std::uint64_t bytes = 0; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    const std::uint64_t ascii_only = kHighBits & ~bytes;
    if (((mark_first(bytes, kWanted) | ...) & ascii_only) != 0) break;
  }
  while (at < text.size() && ((text[at] != kWanted) && ...)) ++at;
  return at;
}

/// Where the first byte from `at` on lies that is not ASCII; the end if there is none.
inline std::size_t find_high(std::string_view text, std::size_t at) {
  return find_any_or_high<>(text, at);
}

/// Without the spaces on either side.
constexpr std::string_view trim_space(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// A set of bytes, one look-up a question.
class CharSet {
 public:
  constexpr explicit CharSet(std::string_view members) {
    for (const char c : members) table_[static_cast<unsigned char>(c)] = true;
  }
  [[nodiscard]] constexpr bool has(char c) const { return table_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> table_{};
};

}  // namespace shingled::ascii
