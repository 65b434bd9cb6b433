#include "mime/pieces/plain_signs.h"

#include <cstdint>
#include <optional>

#include "config/base/ascii.h"
#include "mime/charset/utf8.h"

namespace shingled::mime {

namespace {

constexpr char kNothing = '\0';

constexpr bool is_between(char32_t c, char32_t first, char32_t last) {
  return c >= first && c <= last;
}

constexpr bool is_invisible(char32_t c) {
  return c == 0xAD || c == 0x34F || c == 0x61C || is_between(c, 0x200B, 0x200F) ||
         is_between(c, 0x202A, 0x202E) || is_between(c, 0x2060, 0x206F) || c == 0x20E3 ||
         is_between(c, 0xFE00, 0xFE0F) || c == 0xFEFF || is_between(c, 0xE0000, 0xE01EF);
}

constexpr bool is_dash(char32_t c) {
  return is_between(c, 0x2010, 0x2015) || c == 0x2043 || c == 0x2212 || c == 0x30FC ||
         c == 0xFE58 || c == 0xFE63;
}

constexpr bool is_blank(char32_t c) {
  return c == 0xA0 || is_between(c, 0x2000, 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

constexpr bool is_dot(char32_t c) { return c == 0xB7 || c == 0x2024 || c == 0x2027; }
constexpr bool is_slash(char32_t c) { return c == 0x2044 || c == 0x2215; }

constexpr char digit(char32_t value) { return static_cast<char>('0' + value); }

/// The ASCII character that a reader takes it for; kNothing for one that is not seen; nullopt for
/// all others.
constexpr std::optional<char> plain(char32_t c) {
  constexpr char32_t kWide = 0xFEE0;  // U+FF01 is "!"
  if (is_invisible(c)) return kNothing;
  if (is_between(c, 0xFF01, 0xFF5E)) return static_cast<char>(c - kWide);
  if (is_dash(c)) return '-';
  if (is_blank(c)) return ' ';
  if (is_dot(c)) return '.';
  if (is_slash(c)) return '/';
  if (is_between(c, 0x1D7CE, 0x1D7FF)) return digit((c - 0x1D7CE) % 10);
  if (is_between(c, 0x660, 0x669)) return digit(c - 0x660);
  if (is_between(c, 0x6F0, 0x6F9)) return digit(c - 0x6F0);
  if (is_between(c, 0x2460, 0x2468)) return digit(c - 0x2460 + 1);
  if (c == 0x24EA) return '0';
  return std::nullopt;
}
static_assert(plain(0xFF18) == '8' && plain(0x1D7D8) == '0' && !plain('a'));

/// The code point of a well-formed sequence of two to four bytes.
char32_t code_point(std::string_view sequence) {
  constexpr unsigned kLead[] = {0, 0, 0x1F, 0x0F, 0x07};
  auto code =
      static_cast<char32_t>(static_cast<unsigned char>(sequence[0]) & kLead[sequence.size()]);
  for (const char c : sequence.substr(1))
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

}  // namespace

std::string_view with_plain_signs(std::string_view text, std::string& storage) {
  storage.clear();
  std::size_t copied = 0;  // up to here the text is in the storage, as far as it differs
  for (std::size_t at = ascii::find_high(text, 0); at < text.size();
       at = ascii::find_high(text, at)) {
    const std::size_t size = utf8_sequence_size(text, at);
    const auto sign = size < 2 ? std::nullopt : plain(code_point(text.substr(at, size)));
    if (sign) {
      storage.append(text, copied, at - copied);
      if (*sign != kNothing) storage.push_back(*sign);
      copied = at + size;
    }
    at += size == 0 ? 1 : size;
  }
  if (copied == 0) return text;
  storage.append(text, copied);
  return storage;
}

}  // namespace shingled::mime
