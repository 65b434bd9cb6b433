#include "config/base/utf8.h"

namespace shingled {

std::optional<Utf8Letter> first_utf8_letter(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return Utf8Letter{lead, 1};
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return std::nullopt;
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return std::nullopt;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // by bytes: not overlong
  if (code < kSmallest[bytes] || code > 0x10FFFF) return std::nullopt;
  if (code >= 0xD800 && code < 0xE000) return std::nullopt;  // surrogates
  return Utf8Letter{code, bytes};
}

}  // namespace shingled
