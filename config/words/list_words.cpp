#include "config/words/list_words.h"

#include <algorithm>

#include "config/base/ascii.h"
#include "config/base/hex.h"
#include "config/base/zbase32.h"

namespace shingled::config {

namespace {

std::optional<std::array<std::uint8_t, 64>> exactly_64(const std::optional<Bytes>& bytes) {
  std::array<std::uint8_t, 64> out{};
  if (!bytes || bytes->size() != out.size()) return std::nullopt;
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return out;
}

}  // namespace

std::optional<std::vector<Network>> network_word(std::string_view word) {
  if (word == "localhost")
    return std::vector{*Network::parse("127.0.0.0/8"), *Network::parse("::1")};
  const auto network = Network::parse(word);
  return network ? std::optional(std::vector{*network}) : std::nullopt;
}

std::optional<std::array<std::uint8_t, 64>> key_id_word(std::string_view word) {
  constexpr std::size_t kHexDigits = 128;  // no z-base-32 of 64 bytes is so long
  return exactly_64(word.size() == kHexDigits ? from_hex(word) : from_zbase32(word));
}

std::optional<std::array<std::uint8_t, 64>> digest_word(std::string_view word) {
  return exactly_64(from_hex(word));
}

std::optional<std::string> recipient_word(std::string_view word) {
  constexpr std::size_t kBytesMax = 320;  // RFC 5321 4.5.3.1: 64 and '@' and 255
  const std::size_t at = word.rfind('@');
  const bool printable =
      std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (word.empty() || word.size() > kBytesMax || !printable || at == word.size() - 1) {
    return std::nullopt;
  }
  return ascii::to_lower(word);
}

}  // namespace shingled::config
