#pragma once

#include <string_view>

#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/hash_keys.h"
#include "mime/fingerprint/word_list.h"

namespace shingled::fingerprint {

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
