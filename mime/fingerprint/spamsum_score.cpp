#include "mime/fingerprint/spamsum_score.h"

#include <algorithm>
#include <bit>

namespace shingled::fingerprint {

namespace {

constexpr unsigned kCommonMin = 7;  // characters in a row
constexpr unsigned kRunMax = 3;
// From this block size on a score is not bounded by the length of the signatures.
constexpr std::uint64_t kUnboundedFrom = 15 * Spamsum::kBlockSizeMin;

}  // namespace

SpamsumMatcher::Letters::Letters(std::string_view text) {
  unsigned run = 0;
  for (const char c : text.substr(0, Spamsum::kFirstMax)) {
    const auto byte = static_cast<std::uint8_t>(c);
    run = length > 0 && at[length - 1] == byte ? run + 1 : 1;
    if (run <= kRunMax) at[length++] = byte;
  }
}

SpamsumMatcher::Part::Part(std::string_view text) : letters(text) {
  for (unsigned i = 0; i < letters.length; ++i)
    places[letters.at[i] & 127U] |= std::uint64_t{1} << i;
}

SpamsumMatcher::SpamsumMatcher(const Spamsum& signature)
    : block_size_(signature.block_size), first_(signature.first), second_(signature.second) {}

int SpamsumMatcher::score(const Spamsum& other) const {
  if (other.block_size == block_size_ * 2) {
    return score_parts(second_, Letters(other.first), other.block_size);
  }
  if (other.block_size * 2 == block_size_) {
    return score_parts(first_, Letters(other.second), block_size_);
  }
  if (other.block_size != block_size_) return 0;
  const Letters first(other.first);
  const Letters second(other.second);
  if (first_.letters == first && second_.letters == second) return 100;
  return std::max(score_parts(first_, first, block_size_),
                  score_parts(second_, second, block_size_ * 2));
}

int SpamsumMatcher::score_parts(const Part& part, const Letters& other, std::uint64_t block_size) {
  const unsigned length = part.letters.length;
  if (length < kCommonMin || other.length < kCommonMin) return 0;

  // Bit i of ends[k]: the last k + 1 letters of `other` end at place i of `part`, too.
  std::array<std::uint64_t, kCommonMin> ends{};
  bool common = false;
  for (unsigned j = 0; j < other.length && !common; ++j) {
    const std::uint64_t here = part.places[other.at[j] & 127U];
    for (unsigned k = kCommonMin - 1; k > 0; --k) ends[k] = ends[k - 1] << 1U & here;
    ends[0] = here;
    common = ends[kCommonMin - 1] != 0;
  }
  if (!common) return 0;

  // The longest common subsequence, one column of its table a step (H. Hyyro, "Bit-parallel LCS-
  // length computation revisited", 2004). What is not in it must be deleted or inserted.
  std::uint64_t column = ~std::uint64_t{0};
  for (unsigned j = 0; j < other.length; ++j) {
    const std::uint64_t match = column & part.places[other.at[j] & 127U];
    column = (column + match) | (column - match);
  }
  const std::uint64_t used = length == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
  const auto kept = static_cast<unsigned>(std::popcount(~column & used));
  const unsigned changes = length + other.length - 2 * kept;

  // Rounded down twice, as it always was.
  const std::uint64_t scaled = changes * Spamsum::kFirstMax / (length + other.length);
  const std::uint64_t score = 100 - 100 * scaled / Spamsum::kFirstMax;
  const std::uint64_t bound = block_size < kUnboundedFrom ? block_size / Spamsum::kBlockSizeMin *
                                                                std::min(length, other.length)
                                                          : 100;
  return static_cast<int>(std::min(score, bound));
}

}  // namespace shingled::fingerprint
