#include "mime/model/escapes.h"

namespace shingled::mime {

std::optional<char> percent_escape(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size() || text[at] != '%') return std::nullopt;
  const unsigned high = hex_digit(text[at + 1]);
  const unsigned low = hex_digit(text[at + 2]);
  if (high == kNotHex || low == kNotHex) return std::nullopt;
  return static_cast<char>(high << 4U | low);
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::optional<char> escaped = percent_escape(text, i);
    out.push_back(escaped.value_or(text[i]));
    if (escaped) i += 2;
  }
  return out;
}

}  // namespace shingled::mime
