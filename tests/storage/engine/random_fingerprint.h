#pragma once

#include <cstdint>
#include <cstring>
#include <random>

#include "mime/fingerprint/fingerprint.h"

namespace shingled::storage::engine {

using Seeded = std::mt19937_64;

inline Digest random_digest(Seeded& random) {
  Digest digest;
  for (std::size_t at = 0; at < kDigestBytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(digest.bytes.data() + at, &word, sizeof word);
  }
  return digest;
}

inline Shingles random_shingles(Seeded& random) {
  Shingles shingles{};
  for (std::uint64_t& shingle : shingles) shingle = random();
  return shingles;
}

inline Fingerprint random_fingerprint(Seeded& random) {
  return {random_digest(random), random_shingles(random)};
}

/// Another text that shares `slots` slots, at random places.
inline Fingerprint near_duplicate(const Fingerprint& of, std::size_t slots, Seeded& random) {
  Fingerprint near{random_digest(random), of.shingles};
  std::size_t others = kShingleCount - slots;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    // Each choice of slots is equally likely.
    if (random() % (kShingleCount - slot) >= others) continue;
    (*near.shingles)[slot] = random();
    --others;
  }
  return near;
}

}  // namespace shingled::storage::engine
