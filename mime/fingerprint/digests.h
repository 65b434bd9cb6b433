#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/keyed_hash.h"
#include "mime/fingerprint/word_list.h"

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

/// The text of a key option, or its default.
constexpr std::string_view or_default(std::string_view text) {
  return text.empty() ? kDefaultKeyText : text;
}

HashKeys derive_hash_keys(const HashOptions& options);

/// The 64-byte key a text stands for: its unkeyed BLAKE2b.
std::array<std::uint8_t, kHashKeyBytes> key_from_text(std::string_view text);

// The five digests of a content. All are stateless and cost one pass of BLAKE2b.

/// Of a long text: its stems, glued (HASHING.md 3.1). Says the same for "ab c" and "a bc".
Digest word_digest(const HashKeys& keys, const WordList& stems);

/// Of a short text: its one-line form and the subject (HASHING.md 4.2).
Digest direct_digest(const HashKeys& keys, std::string_view oneline, std::string_view subject);

/// Of an attachment, image or archive: its decoded bytes, under a key no rule can change, so that
/// it is equal on every server (HASHING.md 4.5).
Digest data_digest(std::string_view bytes);

/// Of a script in an attachment: unkeyed, as rspamd's Lua makes it.
Digest script_digest(std::string_view script);

/// Of the structure of an HTML part: its tokens, glued (HASHING.md 13).
Digest structure_digest(const HashKeys& keys, const WordList& tokens);

}  // namespace shingled::fingerprint
