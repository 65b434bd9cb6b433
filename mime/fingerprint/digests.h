#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/keyed_hash.h"

namespace shingled::fingerprint {

/// The key text if the option is empty. rspamd uses the same, so it is the most common one.
inline constexpr std::string_view kDefaultKeyText = "rspamd";

/// The keys of a rule, derived once from its options (HASHING.md section 2).
/// Threads: a value.
struct HashKeys {
  HashAlgorithm algorithm = HashAlgorithm::kMumhash;
  std::array<std::uint8_t, kHashKeyBytes> hash_key{};     ///< for text digests
  std::array<std::uint8_t, kSipKeyBytes> shingles_key{};  ///< for structure digests
  /// One key and one seed for each of the 32 shingles.
  std::array<std::array<std::uint8_t, kSipKeyBytes>, kShingleCount> generators{};
  std::array<std::uint64_t, kShingleCount> seeds{};
};

/// The text of a key option, or its default.
constexpr std::string_view or_default(std::string_view text) {
  return text.empty() ? kDefaultKeyText : text;
}

HashKeys derive_hash_keys(const HashOptions& options);

/// The 64-byte key made from a text: its unkeyed BLAKE2b.
std::array<std::uint8_t, kHashKeyBytes> key_from_text(std::string_view text);

// The five digests.
// Threads: stateless.
// Cost:    one pass of BLAKE2b.

/// Of a long text: its concatenated stems (HASHING.md 3.1). "ab c" and "a bc" have the same digest.
Digest word_digest(const HashKeys& keys, const WordList& stems);

/// Of a short text: its one-line form and the subject (HASHING.md 4.2).
Digest direct_digest(const HashKeys& keys, std::string_view oneline, std::string_view subject);

/// Of an attachment, image or archive: its decoded bytes with a fixed key, so that all servers have
/// the same digest (HASHING.md 4.5).
Digest data_digest(std::string_view bytes);

/// Of a script in an attachment: unkeyed, as in rspamd's Lua code.
Digest script_digest(std::string_view script);

/// Of the structure of an HTML part: its concatenated tokens (HASHING.md 13).
Digest structure_digest(const HashKeys& keys, const WordList& tokens);

}  // namespace shingled::fingerprint
