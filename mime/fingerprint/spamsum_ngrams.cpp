#include "mime/fingerprint/spamsum_ngrams.h"

#include <algorithm>
#include <array>
#include <bit>

#include "mime/fingerprint/mumhash.h"
#include "mime/fingerprint/rolling_hash.h"

namespace shingled::fingerprint {

namespace {

constexpr std::size_t kCommonMin = 7;  // as SpamsumMatcher asks for
constexpr unsigned kRunMax = 3;
constexpr std::uint64_t kCommonMask = (std::uint64_t{1} << (6 * kCommonMin)) - 1;
constexpr std::uint32_t kKeyMask = (std::uint32_t{1} << kGramBits) - 1;

/// Onto and back within kGramBits: n-grams of texts are not even, their keys are.
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
  std::size_t length = 0;  ///< without what is beyond three in a run
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

/// Drops what comes again. Few are not sorted for it: of a million samples that was two fifths of
/// what making an index took.
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

void spamsum_keys(const Spamsum& signature, std::vector<std::uint32_t>& out) {
  out.clear();
  // The number of the block size, as it is for both parts: the second is of twice the first's.
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
