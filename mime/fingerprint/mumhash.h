#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shingled::fingerprint {

/// The high and the low half of the 128-bit product, added.
constexpr std::uint64_t mum(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product >> 64) + static_cast<std::uint64_t>(product);
}

inline constexpr std::uint64_t kMumSeedPrime = 0xc42b5e2e6480b23b;
inline constexpr std::uint64_t kMumUnrollPrime = 0x7b51ec3d22f7096f;
inline constexpr std::uint64_t kMumTailPrime = 0xaf47d47c99b1461b;
inline constexpr std::uint64_t kMumFinishPrime = 0xa9a7ae7ceff79f3f;

/// MUM hash of Vladimir Makarov, in the variant hashing.md section 1 describes step by step.
/// Threads: stateless.
std::uint64_t mumhash(std::string_view data, std::uint64_t seed);

/// A word of at most 32 bytes as mumhash sees it before the seed comes in: hashing one word under
/// many seeds reads its bytes only once.
struct MumWord {
  std::uint64_t mixed = 0;
  std::size_t size = 0;
};
inline constexpr std::size_t kMumWordBytesMax = 32;

MumWord mum_word(std::string_view word);

/// Equals mumhash(word, seed) for the word behind `word`.
constexpr std::uint64_t mumhash(const MumWord& word, std::uint64_t seed) {
  std::uint64_t r = mum(seed + word.size, kMumSeedPrime) ^ word.mixed;
  r ^= mum(r, kMumFinishPrime);
  r ^= mum(r, kMumTailPrime);
  return r;
}

}  // namespace shingled::fingerprint
