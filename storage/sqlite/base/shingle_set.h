#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "config/base/byte_reader.h"
#include "mime/fingerprint/fingerprint.h"

namespace shingled::storage::sqlite {

inline constexpr std::size_t kShingleSetBytes = kShingleCount * sizeof(std::uint64_t);

/// Shingles as they are stored in the file (SCHEMA.md).
/// Threads: stateless.
using ShingleSet = std::array<std::uint8_t, kShingleSetBytes>;

ShingleSet encode_shingles(const Shingles& shingles);
/// `bytes` must be kShingleSetBytes long.
Shingles decode_shingles(BytesView bytes);

/// The number in a shingle slot whose shingle is not known any more. It is made from the digest, so
/// that no other hash has the same number in that slot (zeros would match each other). A slot with
/// this number can be distinguished from one with a real shingle. SCHEMA.md documents it.
inline std::uint64_t lost_slot(const Digest& digest, std::size_t slot) {
  std::uint64_t word = 0;
  std::memcpy(&word, digest.bytes.data() + slot * sizeof word % kDigestBytes, sizeof word);
  return word ^ (slot + 1) * 0x9e3779b97f4a7c15;
}

}  // namespace shingled::storage::sqlite
