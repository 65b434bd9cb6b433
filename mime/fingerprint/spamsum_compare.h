#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mime/fingerprint/spamsum.h"

namespace shingled::fingerprint {

/// How alike two signatures are, 0 to 100, as `ssdeep -d` counts it. 100 does not mean equal data.
///
/// Runs of more than three equal characters count as three. Only parts of equal block size are
/// compared, and only when they share 7 characters in a row; the score is then the part that is
/// left of both after the fewest deletions and insertions, bounded where the block size is small,
/// as short data is alike by chance.
///
/// Prepared once for one signature, to be compared with many.
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
  /// And where each character stands in it.
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
