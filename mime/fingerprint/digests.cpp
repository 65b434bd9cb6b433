#include "mime/fingerprint/digests.h"

#include <algorithm>

#include "mime/fingerprint/mumhash.h"

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
    keys.seeds[i] = load_bytes(text_of(previous).data());
  }
  return keys;
}

Digest word_digest(const HashKeys& keys, const WordList& stems) {
  return keyed_hash(keys.hash_key, {stems.glued()});
}

Digest direct_digest(const HashKeys& keys, std::string_view oneline, std::string_view subject) {
  return keyed_hash(keys.hash_key, {oneline, subject});
}

Digest data_digest(std::string_view bytes) {
  static const auto data_key = key_from_text(kDefaultKeyText);
  return keyed_hash(data_key, {bytes});
}

Digest script_digest(std::string_view script) { return keyed_hash({}, {script}); }

Digest structure_digest(const HashKeys& keys, const WordList& tokens) {
  return keyed_hash(keys.shingles_key, {tokens.glued()});
}

}  // namespace shingled::fingerprint
