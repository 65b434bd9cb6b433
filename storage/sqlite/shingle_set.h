#pragma once

#include <array>
#include <cstdint>

#include "config/base/byte_reader.h"
#include "mime/fingerprint/fingerprint.h"

namespace shingled::storage::sqlite {

inline constexpr std::size_t kShingleSetBytes = kShingleCount * sizeof(std::uint64_t);

/// Shingles as the file has them (SCHEMA.md).
/// Threads: stateless.
using ShingleSet = std::array<std::uint8_t, kShingleSetBytes>;

ShingleSet encode_shingles(const Shingles& shingles);
/// `bytes` are kShingleSetBytes.
Shingles decode_shingles(BytesView bytes);

}  // namespace shingled::storage::sqlite
