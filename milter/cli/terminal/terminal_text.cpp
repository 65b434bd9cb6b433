#include "milter/cli/terminal/terminal_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

namespace shingled::milter::cli {

namespace {

struct Letter {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

/// The first letter of `text`, which is not empty; nullopt if it is not UTF-8.
std::optional<Letter> first_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return Letter{lead, 1};
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return std::nullopt;
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return std::nullopt;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // by bytes: no long forms
  if (code < kSmallest[bytes] || code > 0x10FFFF) return std::nullopt;
  if (code >= 0xD800 && code < 0xE000) return std::nullopt;  // halves of UTF-16
  return Letter{code, bytes};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

/// Unicode's Bidi_Control, and U+2028 and U+2029.
bool is_mark_of_order(std::uint32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string terminal_safe(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const auto letter = first_letter(text);
    const std::size_t bytes = letter ? letter->bytes : 1;
    if (!letter || (bytes == 1 && is_control(letter->code))) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (is_control(letter->code) || is_mark_of_order(letter->code)) {
      safe += fmt::format("\\u{:04x}", letter->code);
    } else {
      safe += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return safe;
}

std::string terminal_safe_json(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  while (!json.empty()) {
    const auto letter = first_letter(json);
    const std::size_t bytes = letter ? letter->bytes : 1;
    if (letter && (is_control(letter->code) || is_mark_of_order(letter->code))) {
      safe += fmt::format("\\u{:04x}", letter->code);
    } else {
      safe += json.substr(0, bytes);
    }
    json.remove_prefix(bytes);
  }
  return safe;
}

}  // namespace shingled::milter::cli
