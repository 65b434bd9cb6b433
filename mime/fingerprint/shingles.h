#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/keyed_hash.h"

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

/// Name and version of the robust form. All keys depend on it, so fingerprints of two versions
/// never match partially.
inline constexpr std::string_view kRobustForm = "shingled robust 1";

/// The keys of robust fingerprints. They are made from the two key texts of the rule, but differ
/// from the keys of the compatible hashes, so that both can be in one storage. The algorithm of the
/// rule does not matter.
/// Threads: a value.
struct RobustKeys {
  Digest digest_key;
  std::array<std::uint64_t, kShingleCount> seeds{};
};

RobustKeys derive_robust_keys(const HashOptions& options);

/// Digest and shingles of a text in the normal form of robust_words().
///
/// The digest is made of all words in order. A slot combines two minimum hashes over pairs of
/// neighbouring words: one over the first 16 pairs, one over all pairs. Two texts that share a
/// fraction H of the first pairs and A of all pairs agree in about 32 H A slots; a match needs more
/// than 16:
///
/// - near-duplicates, H = A, match from 0.73 on; a single minimum hash, as in the compatible form,
///   would match from 0.52 on, which is too low for texts of 20 words
/// - texts that begin differently do not match, even if they share a long footer or disclaimer
/// - texts that only begin alike (a letter-head) do not match
/// - a text with as many random words appended as it has itself only just matches
///
/// Input:   at least one word.
/// Threads: stateless.
/// Cost: 32 multiplications a word, one allocation.
Fingerprint robust_fingerprint(const RobustKeys& keys, const WordList& words);

}  // namespace shingled::fingerprint
