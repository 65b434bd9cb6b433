#pragma once

#include <array>
#include <cstdint>

#include "mime/fingerprint/fingerprint.h"

namespace shingled::storage {

/// What the index makes of a digest: XXH3, 64 bits.
std::uint64_t hash_of(const Digest& digest);

/// Spreads a shingle, a minimum of many hashes and so mostly small, over 64 bits. One to one
/// (MurmurHash3's finaliser), so equal results mean equal shingles.
inline std::uint64_t hash_of(std::uint64_t shingle) {
  shingle ^= shingle >> 33;
  shingle *= 0xff51afd7ed558ccd;
  shingle ^= shingle >> 33;
  shingle *= 0xc4ceb9fe1a85ec53;
  shingle ^= shingle >> 33;
  return shingle;
}

using SlotHashes = std::array<std::uint64_t, kShingleCount>;

inline SlotHashes hashes_of(const Shingles& shingles) {
  SlotHashes hashes;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) hashes[slot] = hash_of(shingles[slot]);
  return hashes;
}

}  // namespace shingled::storage
