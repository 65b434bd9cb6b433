#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mime/fingerprint/spamsum.h"

namespace shingled::fingerprint {

/// The similarity of two signatures from 0 to 100, the same as `ssdeep -d`. 100 does not mean equal
/// data.
///
/// Runs of more than three equal characters count as three. Only parts of equal block size are
/// compared, and only if they share 7 characters in a row. The score is the share of characters
/// that remain after the fewest deletions and insertions. For small block sizes it is limited, as
/// short data is similar by chance.
///
/// A matcher is made for one signature, to compare it with many.
/// Threads: a value.
/// Cost: some 100 ns a comparison, no allocation.
class SpamsumMatcher {
 public:
  explicit SpamsumMatcher(const Spamsum& signature);
  [[nodiscard]] int score(const Spamsum& other) const;

 private:
  /// One part of a signature without long runs.
  struct Letters {
    explicit Letters(std::string_view text);
    std::array<std::uint8_t, Spamsum::kFirstMax> at{};
    unsigned length = 0;
    bool operator==(const Letters&) const = default;
  };
  /// The same, with the places of each character.
  struct Part {
    explicit Part(std::string_view text);
    Letters letters;
    std::array<std::uint64_t, 128> places{};
  };
  static int score_parts(const Part& part, const Letters& other, std::uint64_t block_size);

  std::uint64_t block_size_;
  Part first_;
  Part second_;
};

inline int spamsum_score(const Spamsum& one, const Spamsum& other) {
  return SpamsumMatcher(one).score(other);
}

/// Size of the keys that an index uses to find candidates. The keys are spread evenly.
inline constexpr unsigned kGramBits = 30;

/// Characters of an n-gram of the free form. With 6 bits each, the key is the n-gram itself.
inline constexpr std::size_t kPartGram = 5;
static_assert(6 * kPartGram == kGramBits);

/// The keys of a signature. Two signatures with a score of at least 1 share a key, and few others
/// do. A key is made of 7 characters in a row (after cutting runs to three, as in the comparison)
/// and the block size. A signature that is too short has one key for all of it, as equal short
/// signatures score 100, too.
/// Output:  replaces `out`; each key once, in any order.
/// Threads: stateless.
void spamsum_keys(const Spamsum& signature, std::vector<std::uint32_t>& out);

/// The keys of the n-grams of a free form. Different n-grams have different keys.
/// Output:  replaces `out`; each key once, in any order.
/// Threads: stateless.
void part_keys(std::string_view parts, std::vector<std::uint32_t>& out);
/// The same keys in the order of the n-grams, with repeats.
/// Cost:    one or two nanoseconds a key.
void part_keys_in_turn(std::string_view parts, std::vector<std::uint32_t>& out);

}  // namespace shingled::fingerprint
