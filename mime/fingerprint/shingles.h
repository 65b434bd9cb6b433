#pragma once

#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/word_list.h"

namespace shingled::fingerprint {

/// The 32 minimum hashes over all windows of three neighbouring words (HASHING.md 3.2-3.4), with
/// the word hash `keys.algorithm` names. The last two words never count, that is the format.
///
/// Input:   stems in text order; mail has at least 12, an empty list gives all ones.
/// Threads: stateless.
/// Cost: O(words), no allocation except for siphash (one, a table of distinct words).
Shingles make_shingles(const HashKeys& keys, const WordList& stems);

/// The same for the tokens of an HTML structure (HASHING.md 13): windows weigh their first token
/// most where texts weigh the last, and siphash rules use mumhash.
Shingles make_structure_shingles(const HashKeys& keys, const WordList& tokens);

}  // namespace shingled::fingerprint
