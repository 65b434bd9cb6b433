#include "mime/fingerprint/hash_keys.h"

#include <algorithm>

namespace shingled::fingerprint {

namespace {

using SipKey = std::array<std::uint8_t, kSipKeyBytes>;

SipKey sip_key_from(std::string_view bytes) {
  const Digest digest = keyed_hash({}, {bytes});
  SipKey key{};
  std::copy_n(digest.bytes.begin(), key.size(), key.begin());
  return key;
}

std::string_view text_of(const SipKey& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

std::uint64_t seed_of(const SipKey& key) {
  std::uint64_t seed = 0;
  for (std::size_t i = sizeof seed; i > 0; --i) seed = seed << 8 | key[i - 1];
  return seed;
}

std::string_view or_default(std::string_view text) { return text.empty() ? kDefaultKeyText : text; }

}  // namespace

std::array<std::uint8_t, kHashKeyBytes> key_from_text(std::string_view text) {
  return keyed_hash({}, {text}).bytes;
}

HashKeys derive_hash_keys(const HashOptions& options) {
  HashKeys keys;
  keys.algorithm = options.algorithm;
  keys.hash_key = key_from_text(or_default(options.fuzzy_key));
  keys.shingles_key = sip_key_from(or_default(options.fuzzy_shingles_key));
  SipKey previous = keys.shingles_key;  // each generator is the hash of the one before it
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    previous = sip_key_from(text_of(previous));
    keys.generators[i] = previous;
    keys.seeds[i] = seed_of(previous);
  }
  return keys;
}

}  // namespace shingled::fingerprint
