#include "config/base/zbase32.h"

#include <cstdint>

namespace shingled {

namespace {
constexpr std::string_view kAlphabet = "ybndrfg8ejkmcpqxot1uwisza345h769";
}  // namespace

std::string to_zbase32(BytesView bytes) {
  std::string out;
  out.reserve((bytes.size() * 8 + 4) / 5);
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (const std::uint8_t byte : bytes) {
    pending |= static_cast<std::uint32_t>(byte) << bits;
    for (bits += 8; bits >= 5; bits -= 5) {
      out += kAlphabet[pending & 31U];
      pending >>= 5;
    }
  }
  if (bits > 0) out += kAlphabet[pending & 31U];
  return out;
}

std::optional<Bytes> from_zbase32(std::string_view text) {
  Bytes out;
  out.reserve(text.size() * 5 / 8);
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    pending |= static_cast<std::uint32_t>(value) << bits;
    bits += 5;
    if (bits < 8) continue;
    out.push_back(static_cast<std::uint8_t>(pending & 0xffU));
    pending >>= 8;
    bits -= 8;
  }
  if (bits >= 5 || pending != 0) return std::nullopt;
  return out;
}

}  // namespace shingled
