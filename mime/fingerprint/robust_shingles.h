#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/keyed_hash.h"
#include "mime/fingerprint/word_list.h"

namespace shingled::fingerprint {

/// Name and version of the form: all keys depend on it, so what was stored under another version
/// never matches by half.
inline constexpr std::string_view kRobustForm = "shingled robust 1";

/// The keys of robust fingerprints: derived from the rule's two key texts, but none of those the
/// compatible hashes use, so that both may live in one storage. The rule's algorithm does not
/// matter.
/// Threads: a value.
struct RobustKeys {
  Digest digest_key;
  std::array<std::uint64_t, kShingleCount> seeds{};
};

RobustKeys derive_robust_keys(const HashOptions& options);

/// Digest and shingles of a text in the normal form of robust_words().
///
/// The digest is of all words in their order. A slot is made of two minimum hashes over pairs of
/// neighbouring words: one over the first 16 pairs, one over all. Two texts that share the part H
/// of their first pairs and A of all agree in about 32 H A slots, and a match needs more than 16:
///
/// - near-duplicates, H = A, match from 0.73 on; a single minimum hash, as in the compatible form,
///   would match from 0.52 on, too little for texts of 20 words
/// - texts that begin differently do not match, however long a footer or disclaimer they share
/// - texts that only begin alike (a letter-head) do not match
/// - random words at the end, as many again as the text, leave it at the edge
///
/// Input:   at least one word.
/// Threads: stateless.
/// Cost: 32 multiplications a word, one allocation.
Fingerprint robust_fingerprint(const RobustKeys& keys, const WordList& words);

}  // namespace shingled::fingerprint
