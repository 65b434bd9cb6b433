#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mime/fingerprint/spamsum.h"

namespace shingled::fingerprint {

/// Keys by which an index finds candidates. All have kGramBits bits and are spread evenly.
inline constexpr unsigned kGramBits = 30;

/// Characters of one n-gram of the free form; 6 bits each, so that a key is the n-gram itself.
inline constexpr std::size_t kPartGram = 5;
static_assert(6 * kPartGram == kGramBits);

/// Keys of a signature: any two with a score of at least 1 have one in common, and few others do.
/// That is every run of 7 characters with its block size, as the comparison sees them (runs of more
/// than three equal characters cut to three); and of a signature that has none, all of it, as equal
/// ones score 100 however short they are.
/// Output: each once, in no order, in place of what `out` held.
/// Threads: stateless.
void spamsum_keys(const Spamsum& signature, std::vector<std::uint32_t>& out);

/// Keys of the n-grams of a free form: equal for equal ones, and only for these.
/// Output: each once, in no order, in place of what `out` held.
/// Threads: stateless.
void part_keys(std::string_view parts, std::vector<std::uint32_t>& out);
/// The same keys as they come, those that come again, too.
/// Cost: a nanosecond or two a key.
void part_keys_in_turn(std::string_view parts, std::vector<std::uint32_t>& out);

}  // namespace shingled::fingerprint
