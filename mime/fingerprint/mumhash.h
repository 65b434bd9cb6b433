#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace shingled::fingerprint {

static_assert(std::endian::native == std::endian::little,
              "bytes are loaded in the machine's order, which must be little-endian");

/// The `size` bytes at `data`, at most eight, as a little-endian integer. Reads no byte beyond
/// them. Unlike memcpy with a variable size, it calls no function.
inline std::uint64_t load_bytes(const char* data, std::size_t size = sizeof(std::uint64_t)) {
  std::uint64_t value = 0;
  if (size >= sizeof value) {
    std::memcpy(&value, data, sizeof value);
    return value;
  }
  constexpr std::size_t kHalf = sizeof(std::uint32_t);
  if (size >= kHalf) {  // two halves, which may overlap
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, data, kHalf);
    std::memcpy(&high, data + size - kHalf, kHalf);
    return low | static_cast<std::uint64_t>(high) << (8 * (size - kHalf));
  }
  if (size == 0) return 0;
  const auto byte = [data](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(data[i])) << (8 * i);
  };
  return byte(0) | byte(size / 2) | byte(size - 1);
}

/// The multiplier of Fibonacci hashing: the upper bits of `number * kGoldenRatio` spread numbers
/// over the slots of a table.
inline constexpr std::uint64_t kGoldenRatio = 0x9E37'79B9'7F4A'7C15;

/// The sum of the high and the low half of the 128-bit product.
constexpr std::uint64_t mum(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product >> 64) + static_cast<std::uint64_t>(product);
}

inline constexpr std::uint64_t kMumSeedPrime = 0xc42b5e2e6480b23b;
inline constexpr std::uint64_t kMumUnrollPrime = 0x7b51ec3d22f7096f;
inline constexpr std::uint64_t kMumTailPrime = 0xaf47d47c99b1461b;
inline constexpr std::uint64_t kMumFinishPrime = 0xa9a7ae7ceff79f3f;

/// The MUM hash of Vladimir Makarov, in the variant of HASHING.md section 1.
/// Threads: stateless.
std::uint64_t mumhash(std::string_view data, std::uint64_t seed);

// The hash in two parts, for a word of at most 32 bytes with many seeds:
// mumhash(word, seed) == mum_end(mum_begin(seed, word.size()), mum_word(word)).

inline constexpr std::size_t kMumWordBytesMax = 32;

/// The part that depends on the bytes of the word.
std::uint64_t mum_word(std::string_view word);

/// The part that depends on the seed and on the length of the word.
constexpr std::uint64_t mum_begin(std::uint64_t seed, std::size_t size) {
  return mum(seed + size, kMumSeedPrime);
}

constexpr std::uint64_t mum_end(std::uint64_t begin, std::uint64_t word) {
  std::uint64_t r = begin ^ word;
  r ^= mum(r, kMumFinishPrime);
  r ^= mum(r, kMumTailPrime);
  return r;
}

}  // namespace shingled::fingerprint
