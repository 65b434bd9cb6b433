#include "milter/terminal/terminal_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "config/base/ascii.h"
#include "config/base/utf8.h"

namespace shingled::milter::terminal {

namespace {

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
    const auto letter = first_utf8_letter(text);
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
    const auto letter = first_utf8_letter(json);
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

std::string shell_word(std::string_view text) {
  if (ascii::is_word(text, text.size(), "_-./:=@,+%")) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace shingled::milter::terminal
