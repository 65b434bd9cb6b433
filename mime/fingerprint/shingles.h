#pragma once

#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/fingerprint.h"

namespace shingled::fingerprint {

/// The 32 minimum hashes over all windows of three neighbouring words (HASHING.md 3.2-3.4), with
/// the word hash of `keys.algorithm`. The format never counts the last two words.
///
/// Input:   stems in text order. An empty list gives all ones.
/// Threads: stateless.
/// Cost:    O(words); no allocation, except one for siphash.
Shingles make_shingles(const HashKeys& keys, const WordList& stems);

/// The same for the tokens of an HTML structure (HASHING.md 13). Here the first token of a window
/// has the most weight, not the last, and siphash rules use mumhash.
Shingles make_structure_shingles(const HashKeys& keys, const WordList& tokens);

}  // namespace shingled::fingerprint
