#include "mime/fingerprint/digests.h"

namespace shingled::fingerprint {

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
