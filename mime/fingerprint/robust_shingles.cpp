#include "mime/fingerprint/robust_shingles.h"

#include <algorithm>
#include <cstring>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "mime/fingerprint/digests.h"

namespace shingled::fingerprint {

namespace {

constexpr std::size_t kHeadPairs = 16;
constexpr std::size_t kSeedsInDigest = kDigestBytes / sizeof(std::uint64_t);
static_assert(kShingleCount % kSeedsInDigest == 0);

/// A bijection (MurmurHash3's finaliser).
constexpr std::uint64_t spread(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 33);
}

std::string_view glue_with_spaces(const WordList& words, std::string& out) {
  out.reserve(words.glued().size() + words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += words[i];
    out += ' ';
  }
  return out;
}

/// Two minima per slot: of the upper and of the lower halves of the same products.
struct Minima {
  std::array<std::uint32_t, kShingleCount> head{};
  std::array<std::uint32_t, kShingleCount> all{};
};

void take_pair(std::uint64_t pair, const RobustKeys& keys, Minima& minima) {
  // The lower half of a product needs only the lower halves, so the compiler can use vectors.
  const auto low = static_cast<std::uint32_t>(pair);
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    const auto seed = static_cast<std::uint32_t>(keys.seeds[i]);
    minima.all[i] = std::min(minima.all[i], (low ^ seed) * (seed | 1));
  }
}

void take_head_pair(std::uint64_t pair, const RobustKeys& keys, Minima& minima) {
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    const std::uint64_t product = (pair ^ keys.seeds[i]) * (keys.seeds[i] | 1);
    minima.head[i] = std::min(minima.head[i], static_cast<std::uint32_t>(product >> 32));
  }
}

}  // namespace

RobustKeys derive_robust_keys(const HashOptions& options) {
  RobustKeys keys;
  keys.digest_key = keyed_hash(key_from_text(or_default(options.fuzzy_key)), {kRobustForm});
  const auto shingles_key = key_from_text(or_default(options.fuzzy_shingles_key));
  for (std::size_t i = 0; i < kShingleCount; i += kSeedsInDigest) {
    const char block = static_cast<char>('0' + i / kSeedsInDigest);
    const Digest seeds = keyed_hash(shingles_key, {kRobustForm, std::string_view(&block, 1)});
    std::memcpy(&keys.seeds[i], seeds.bytes.data(), seeds.bytes.size());
  }
  return keys;
}

Fingerprint robust_fingerprint(const RobustKeys& keys, const WordList& words) {
  Fingerprint fingerprint;
  std::string text;
  fingerprint.digest = keyed_hash(keys.digest_key.bytes, {glue_with_spaces(words, text)});

  Minima minima;
  minima.head.fill(std::numeric_limits<std::uint32_t>::max());
  minima.all.fill(std::numeric_limits<std::uint32_t>::max());
  const auto hash = [&](std::size_t i) {
    return XXH3_64bits_withSeed(words[i].data(), words[i].size(), keys.seeds[0]);
  };
  std::uint64_t before = hash(0);
  const std::size_t pairs =
      std::max<std::size_t>(words.size(), 2) - 1;  // a single word makes a pair with nothing
  for (std::size_t p = 0; p < pairs; ++p) {
    const std::uint64_t after = p + 1 < words.size() ? hash(p + 1) : 0;
    const std::uint64_t pair = spread(before * 3 + after);
    take_pair(pair, keys, minima);
    if (p < kHeadPairs) take_head_pair(pair, keys, minima);
    before = after;
  }
  Shingles& shingles = fingerprint.shingles.emplace();
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    const std::uint64_t both = std::uint64_t{minima.head[i]} << 32 | minima.all[i];
    shingles[i] = spread(both ^ keys.seeds[i]);
  }
  return fingerprint;
}

}  // namespace shingled::fingerprint
