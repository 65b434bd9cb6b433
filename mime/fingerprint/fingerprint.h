#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace shingled {

inline constexpr std::size_t kDigestBytes = 64;
inline constexpr std::size_t kShingleCount = 32;

/// The keyed BLAKE2b-512 of a content (HASHING.md sections 3.1 and 4.5).
struct Digest {
  std::array<std::uint8_t, kDigestBytes> bytes{};
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// For hash tables. Keyed with the secret of the process (secret_hash.h), as a sender can choose
/// the bytes of a digest.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const;
};

/// 32 minimum hashes of a text. The chance that slot i of two texts is equal is about their
/// similarity.
using Shingles = std::array<std::uint64_t, kShingleCount>;

/// The digest and, for a long text, the shingles of a part of a message.
struct Fingerprint {
  Digest digest;
  std::optional<Shingles> shingles;  ///< only long texts have them
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

}  // namespace shingled
