#include "mime/fingerprint/spamsum_compare.h"

#include <algorithm>
#include <array>
#include <bit>

#include "mime/fingerprint/mumhash.h"
#include "mime/fingerprint/spamsum.h"

namespace shingled::fingerprint {
namespace {

constexpr unsigned kCommonMin = 7;  // characters in a row
constexpr unsigned kRunMax = 3;
// From this block size on a score is not bounded by the length of the signatures.
constexpr std::uint64_t kUnboundedFrom = 15 * Spamsum::kBlockSizeMin;

constexpr std::uint64_t kCommonMask = (std::uint64_t{1} << (6 * kCommonMin)) - 1;
constexpr std::uint32_t kKeyMask = (std::uint32_t{1} << kGramBits) - 1;

/// A bijection on kGramBits: n-grams of texts are not spread evenly, their keys are.
std::uint32_t spread(std::uint32_t gram) {
  gram = gram * 0x2c1b3c6dU & kKeyMask;
  gram ^= gram >> 15U;
  gram = gram * 0x297a2d39U & kKeyMask;
  return gram ^ gram >> 15U;
}

std::uint32_t key_of(std::uint64_t level, std::uint64_t content) {
  return static_cast<std::uint32_t>(mum(content ^ kMumSeedPrime, level ^ kMumFinishPrime)) &
         kKeyMask;
}

struct PartState {
  std::uint64_t hash = 0;  ///< of all characters
  std::size_t length = 0;  ///< with runs cut to three
};

/// Adds the keys of one part.
PartState add_keys(std::string_view part, std::uint64_t level, std::vector<std::uint32_t>& out) {
  PartState state;
  std::uint64_t last = 0;
  unsigned run = 0;
  char before = 0;
  for (const char c : part.substr(0, Spamsum::kFirstMax)) {
    run = run > 0 && c == before ? run + 1 : 1;
    before = c;
    if (run > kRunMax) continue;
    last = last << 6U | sextet_of(c);
    state.hash = mum(state.hash + sextet_of(c) + 1, kMumUnrollPrime);
    if (++state.length >= kCommonMin) out.push_back(key_of(level, last & kCommonMask));
  }
  return state;
}

/// Drops repeated keys. A short list is not sorted for this: for a million samples sorting took two
/// fifths of the time to make an index.
void keep_once(std::vector<std::uint32_t>& keys) {
  constexpr std::size_t kFew = 512;
  if (keys.size() > kFew) {
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return;
  }
  std::array<std::uint64_t, 128> seen{};  // a bit for 13 bits of the key: most are alone on theirs
  auto end = keys.begin();
  for (const std::uint32_t key : keys) {
    std::uint64_t& word = seen[key / 64 % seen.size()];
    const std::uint64_t bit = std::uint64_t{1} << key % 64;
    const bool may_be_there = (word & bit) != 0;
    word |= bit;
    if (!may_be_there || std::find(keys.begin(), end, key) == end) *end++ = key;
  }
  keys.erase(end, keys.end());
}

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

  // Bit i of ends[k]: the last k + 1 letters of `other` also end at place i of `part`.
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

  // Rounded down twice, like ssdeep.
  const std::uint64_t scaled = changes * Spamsum::kFirstMax / (length + other.length);
  const std::uint64_t score = 100 - 100 * scaled / Spamsum::kFirstMax;
  const std::uint64_t bound = block_size < kUnboundedFrom ? block_size / Spamsum::kBlockSizeMin *
                                                                std::min(length, other.length)
                                                          : 100;
  return static_cast<int>(std::min(score, bound));
}

void spamsum_keys(const Spamsum& signature, std::vector<std::uint32_t>& out) {
  out.clear();
  // The number of the block size; the second part has the next one.
  const auto level = static_cast<std::uint64_t>(std::bit_width(signature.block_size));
  const PartState first = add_keys(signature.first, level, out);
  const PartState second = add_keys(signature.second, level + 1, out);
  if (out.empty()) out.push_back(key_of(level + 64, mum(first.hash, kMumTailPrime) + second.hash));
  keep_once(out);
}

void part_keys(std::string_view parts, std::vector<std::uint32_t>& out) {
  part_keys_in_turn(parts, out);
  keep_once(out);
}

void part_keys_in_turn(std::string_view parts, std::vector<std::uint32_t>& out) {
  out.clear();
  if (parts.size() < kPartGram) return;
  out.reserve(parts.size());
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    last = (last << 6U | sextet_of(parts[i])) & kKeyMask;
    if (i + 1 >= kPartGram) out.push_back(spread(last));
  }
}

}  // namespace shingled::fingerprint
