#define XXH_INLINE_ALL
#define XXH_INLINE_ALL

#include "mime/fingerprint/shingles.h"

#include <xxhash.h>

#include <algorithm>
#include <bitset>
#include <cstring>
#include <limits>
#include <string>

#include "mime/fingerprint/digests.h"
#include "mime/fingerprint/mumhash.h"

namespace shingled::fingerprint {

namespace {

constexpr std::size_t kWindow = 3;  ///< words

/// One value for each seed: the hashes of one word, or the minima so far.
using Row = Shingles;

constexpr Row filled(std::uint64_t value) {
  Row row{};
  row.fill(value);
  return row;
}
constexpr Row kNoMinima = filled(std::numeric_limits<std::uint64_t>::max());

std::size_t window_count(const WordList& words) {
  return words.size() > kWindow ? words.size() - kWindow + 1
                                : std::min<std::size_t>(words.size(), 1);
}

// The hashes of words with each of the 32 seeds: one object per text, one row per word. A row is
// valid until the next one.

/// Keeps the third of a MUM hash that depends only on the length of the word, and the rows of the
/// latest words, as texts repeat words.
class MumRows {
 public:
  explicit MumRows(const HashKeys& keys) : seeds_(keys.seeds) {}

  const Row& of(std::string_view word) {
    if (word.size() > kMumWordBytesMax) {
      for (std::size_t i = 0; i < kShingleCount; ++i) long_row_[i] = mumhash(word, seeds_[i]);
      return long_row_;
    }
    const Name name{mum_word(word), word.size()};
    const std::size_t slot = name.slot();
    Row& row = rows_[slot];
    if (names_[slot] == name) return row;
    names_[slot] = name;
    const Row& begins = begins_of(word.size());
    for (std::size_t i = 0; i < kShingleCount; ++i) row[i] = mum_end(begins[i], name.mixed);
    return row;
  }

 private:
  static constexpr unsigned kSlotBits = 7;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  /// Everything that the hashes of a word depend on.
  struct Name {
    std::uint64_t mixed = 0;
    std::size_t bytes = kMumWordBytesMax + 1;  ///< at first, of no word
    friend bool operator==(const Name&, const Name&) = default;
    [[nodiscard]] std::size_t slot() const {
      return (mixed + bytes) * kGoldenRatio >> (64 - kSlotBits);
    }
  };

  const Row& begins_of(std::size_t bytes) {
    Row& begins = begins_[bytes];
    if (begun_[bytes]) return begins;
    begun_.set(bytes);
    for (std::size_t i = 0; i < kShingleCount; ++i) begins[i] = mum_begin(seeds_[i], bytes);
    return begins;
  }

  const Row& seeds_;
  Row long_row_;
  std::bitset<kMumWordBytesMax + 1> begun_;
  std::array<Row, kMumWordBytesMax + 1> begins_;  ///< for words of each length, once begun
  std::array<Name, kSlots> names_;
  std::array<Row, kSlots> rows_;  ///< of the words named
};

/// Rows of a hash that takes a seed.
template <auto kSeededHash>
class SeededRows {
 public:
  explicit SeededRows(const HashKeys& keys) : seeds_(keys.seeds) {}
  const Row& of(std::string_view word) {
    for (std::size_t i = 0; i < kShingleCount; ++i) {
      row_[i] = kSeededHash(word.data(), word.size(), seeds_[i]);
    }
    return row_;
  }

 private:
  const Row& seeds_;
  Row row_;
};

using XxRows = SeededRows<XXH64>;
using Xx3Rows = SeededRows<XXH3_64bits_withSeed>;

/// A window's value: `full` unshifted, `half` and `least` shifted out by 8 and 16 bits.
constexpr std::uint64_t weigh(std::uint64_t full, std::uint64_t half, std::uint64_t least) {
  return full ^ (half >> 8) ^ (least >> 16);
}

/// A window that slides over a text. The newest word is not shifted; zeros precede the first word.
struct Slide {
  Row minima = kNoMinima;
  Row before{};   ///< hashes of the latest word
  Row shifted{};  ///< the share of the last two words in the next window
};

[[gnu::always_inline]] inline void move_by_one(Slide& slide, const Row& newest) {
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    slide.minima[i] = std::min(slide.minima[i], newest[i] ^ slide.shifted[i]);
    slide.shifted[i] = (newest[i] >> 8) ^ (slide.before[i] >> 16);
    slide.before[i] = newest[i];
  }
}

// Plain x86-64 compares 64-bit numbers one by one, AVX2 four at a time.
using MoveByOne = void (*)(Slide&, const Row&);
void move_plain(Slide& slide, const Row& newest) { move_by_one(slide, newest); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] void move_avx2(Slide& slide, const Row& newest) {
  move_by_one(slide, newest);
}
MoveByOne fastest_move() { return __builtin_cpu_supports("avx2") != 0 ? move_avx2 : move_plain; }
#else
MoveByOne fastest_move() { return move_plain; }
#endif

template <typename WordRows>
Shingles slide_text(const WordList& words, const HashKeys& keys) {
  static const MoveByOne move = fastest_move();
  Slide slide;
  WordRows rows(keys);
  const std::size_t windows = window_count(words);
  for (std::size_t p = 0; p < windows; ++p) move(slide, rows.of(words[p]));
  return slide.minima;
}

/// The first token of a window is not shifted; zeros follow the last token.
template <typename WordRows>
Shingles slide_structure(const WordList& words, const HashKeys& keys) {
  constexpr Row kBehindLast{};
  Row minima = kNoMinima;
  Row first{};
  Row second{};
  WordRows rows(keys);
  const std::size_t windows = window_count(words);
  for (std::size_t p = 0; windows > 0 && p < windows + kWindow - 1; ++p) {
    const Row& third = p < words.size() ? rows.of(words[p]) : kBehindLast;
    for (std::size_t i = 0; p + 1 >= kWindow && i < kShingleCount; ++i) {
      minima[i] = std::min(minima[i], weigh(first[i], second[i], third[i]));
    }
    first = second;
    second = third;
  }
  return minima;
}

/// Hashes each word repeated three times, not three neighbours: a mistake in rspamd that became the
/// format. So a value depends on one word only, and each distinct word is hashed once.
Shingles make_sip_shingles(const WordList& words, const HashKeys& keys) {
  std::vector<std::string_view> distinct;
  distinct.reserve(words.size());
  const std::size_t windows = window_count(words);
  for (std::size_t p = 0; p < windows; ++p) distinct.push_back(words[p]);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());

  Row minima = kNoMinima;
  std::string repeated;
  for (const std::string_view word : distinct) {
    repeated.clear();
    for (std::size_t i = 0; i < std::min(kWindow, words.size()); ++i) repeated += word;
    for (std::size_t i = 0; i < minima.size(); ++i) {
      minima[i] = std::min(minima[i], siphash(keys.generators[i], repeated));
    }
  }
  return minima;
}

}  // namespace

Shingles make_shingles(const HashKeys& keys, const WordList& stems) {
  switch (keys.algorithm) {
    case HashAlgorithm::kSiphash:
      return make_sip_shingles(stems, keys);
    case HashAlgorithm::kXxhash:
      return slide_text<XxRows>(stems, keys);
    case HashAlgorithm::kFasthash:
      return slide_text<Xx3Rows>(stems, keys);
    case HashAlgorithm::kMumhash:
      break;
  }
  return slide_text<MumRows>(stems, keys);
}

Shingles make_structure_shingles(const HashKeys& keys, const WordList& tokens) {
  switch (keys.algorithm) {
    case HashAlgorithm::kXxhash:
      return slide_structure<XxRows>(tokens, keys);
    case HashAlgorithm::kFasthash:
      return slide_structure<Xx3Rows>(tokens, keys);
    case HashAlgorithm::kSiphash:
    case HashAlgorithm::kMumhash:
      break;
  }
  return slide_structure<MumRows>(tokens, keys);
}

namespace {

constexpr std::size_t kHeadPairs = 16;
constexpr std::size_t kSeedsInDigest = kDigestBytes / sizeof(std::uint64_t);
static_assert(kShingleCount % kSeedsInDigest == 0);

/// A bijection (MurmurHash3's finaliser).
constexpr std::uint64_t murmur_mix(std::uint64_t x) {
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
    const std::uint64_t pair = murmur_mix(before * 3 + after);
    take_pair(pair, keys, minima);
    if (p < kHeadPairs) take_head_pair(pair, keys, minima);
    before = after;
  }
  Shingles& shingles = fingerprint.shingles.emplace();
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    const std::uint64_t both = std::uint64_t{minima.head[i]} << 32 | minima.all[i];
    shingles[i] = murmur_mix(both ^ keys.seeds[i]);
  }
  return fingerprint;
}

}  // namespace shingled::fingerprint
