#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shingled::fingerprint {

inline constexpr std::string_view kSpamsumAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The start value of the hash h of a piece. Each byte sets h = 19 h ^ byte; only 6 bits count.
inline constexpr std::uint8_t kPieceHashStart = 0x28021967 & 0xff;

namespace detail {
constexpr std::array<std::uint8_t, 256> make_sextets() {
  std::array<std::uint8_t, 256> out{};
  for (std::size_t i = 0; i < kSpamsumAlphabet.size(); ++i)
    out[static_cast<std::uint8_t>(kSpamsumAlphabet[i])] = static_cast<std::uint8_t>(i);
  return out;
}
inline constexpr std::array<std::uint8_t, 256> kSextets = make_sextets();
}  // namespace detail

/// The 6 bits of a character; characters that no signature has count as 'A'.
inline std::uint8_t sextet_of(char letter) {
  return detail::kSextets[static_cast<std::uint8_t>(letter)];
}
/// Whether signatures may have this character.
inline bool is_piece_letter(char letter) {
  return sextet_of(letter) != 0 || letter == kSpamsumAlphabet.front();
}
inline char piece_letter(std::uint8_t hash) { return kSpamsumAlphabet[hash & 63U]; }

/// R, the hash of the last 7 bytes, which decides where pieces end: a sum, a sum weighted by age,
/// and a value that shifts older bytes out.
struct RollingHash {
  void add(std::uint8_t byte) {
    const auto oldest = static_cast<std::uint8_t>(window >> 48U);
    window = window << 8U | byte;
    weighted += std::uint32_t{7} * byte - sum;
    sum += std::uint32_t{byte} - oldest;
    shifted = shifted << 5U ^ byte;
  }
  [[nodiscard]] std::uint32_t value() const { return sum + weighted + shifted; }

  std::uint32_t sum = 0;
  std::uint32_t weighted = 0;
  std::uint32_t shifted = 0;
  std::uint64_t window = 0;  ///< the last 7 bytes, the newest lowest
};

}  // namespace shingled::fingerprint
