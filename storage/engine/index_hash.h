#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/base/random.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/engine/number_map.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::engine {

/// The slots by which the index finds a record; the other slots are compared once it is found. Two
/// texts that agree in kMatchSlotsMin of kShingleCount slots agree in at least one of any
/// kIndexedSlots slots.
inline constexpr std::size_t kIndexedSlots = kShingleCount - kMatchSlotsMin + 1;

/// Hashes digests and shingles for one index, with a secret of its own: a sender of digests and
/// shingles cannot choose their places.
/// Threads: a value that does not change.
class IndexHash {
 public:
  /// Takes its secret from `random`.
  explicit IndexHash(Random& random);

  /// XXH3, 64 bits, of a digest.
  [[nodiscard]] std::uint64_t of(const Digest& digest) const;
  /// Spreads a shingle over 64 bits; a shingle is a minimum of many hashes, so it is mostly small.
  /// The function is one to one: equal results mean equal shingles.
  [[nodiscard]] std::uint64_t of(std::uint64_t shingle) const {
    shingle = (shingle ^ mask_) * factors_[0];
    shingle ^= shingle >> 32;
    shingle *= factors_[1];
    shingle ^= shingle >> 29;
    return shingle * factors_[2];
  }

 private:
  static constexpr std::size_t kSecretBytes = 192;  ///< XXH3 needs at least 136

  std::uint64_t mask_ = 0;
  std::array<std::uint64_t, 3> factors_{};  ///< odd, so that multiplying is one to one
  std::array<std::uint8_t, kSecretBytes> secret_{};
};

/// The part of 32 shingles that the index compares: the low half of each hash. Two cache lines; the
/// first one has all the indexed slots.
struct alignas(64) SlotLows {
  std::array<std::uint32_t, kShingleCount> of_slot{};

  [[nodiscard]] std::uint32_t equal_slots(const SlotLows& other) const {
    std::uint32_t equal = 0;
    for (std::size_t slot = 0; slot < kShingleCount; ++slot)
      equal += of_slot[slot] == other.of_slot[slot] ? 1U : 0U;
    return equal;
  }
};
static_assert(sizeof(SlotLows) == 128 && kIndexedSlots * sizeof(std::uint32_t) <= 64);

inline SlotLows lows_of(const IndexHash& hash, const Shingles& shingles) {
  SlotLows lows;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot)
    lows.of_slot[slot] = HashParts::low(hash.of(shingles[slot]));
  return lows;
}

}  // namespace shingled::storage::engine
