#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace shingled {

inline constexpr std::size_t kDigestBytes = 64;
inline constexpr std::size_t kShingleCount = 32;

/// 64 bytes that name a content: BLAKE2b-512, keyed (HASHING.md sections 3.1 and 4.5).
struct Digest {
  std::array<std::uint8_t, kDigestBytes> bytes{};
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// For hash tables. Keyed with the secret of the process (secret_hash.h): whoever may send a digest
/// may send one of any bytes.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const;
};

/// 32 minimum hashes of a text; slot i of two similar texts is equal with about their similarity.
using Shingles = std::array<std::uint64_t, kShingleCount>;

/// What a part of a message is known by.
struct Fingerprint {
  Digest digest;
  std::optional<Shingles> shingles;  ///< only long texts have them
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

}  // namespace shingled
