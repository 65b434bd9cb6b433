#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/keyed_hash.h"

namespace shingled::fingerprint {

/// What an empty key option stands for; so most of the world's hashes are made with it.
inline constexpr std::string_view kDefaultKeyText = "rspamd";

/// All a rule needs to hash with, derived once from its options (HASHING.md section 2).
/// Threads: a value.
struct HashKeys {
  HashAlgorithm algorithm = HashAlgorithm::kMumhash;
  std::array<std::uint8_t, kHashKeyBytes> hash_key{};     ///< of text digests
  std::array<std::uint8_t, kSipKeyBytes> shingles_key{};  ///< of structure digests
  /// One key and one seed for each of the 32 shingles.
  std::array<std::array<std::uint8_t, kSipKeyBytes>, kShingleCount> generators{};
  std::array<std::uint64_t, kShingleCount> seeds{};
};

HashKeys derive_hash_keys(const HashOptions& options);

/// The 64-byte key a text stands for: its unkeyed BLAKE2b.
std::array<std::uint8_t, kHashKeyBytes> key_from_text(std::string_view text);

}  // namespace shingled::fingerprint
