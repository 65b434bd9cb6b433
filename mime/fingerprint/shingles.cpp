#include "mime/fingerprint/shingles.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bitset>
#include <limits>
#include <string>

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

// Words under each of the 32 seeds: one object a text, `take` once a word, then asked once a seed.

/// What of a hash depends on the length of the word alone is kept: a third of the multiplications.
class MumWordHash {
 public:
  explicit MumWordHash(const HashKeys& keys) : seeds_(keys.seeds) {}
  void take(std::string_view word) {
    word_ = word;
    if (word.size() > kMumWordBytesMax) return;
    mixed_ = mum_word(word);
    if (begun_[word.size()]) return;
    for (std::size_t i = 0; i < kShingleCount; ++i) {
      begins_[word.size()][i] = mum_begin(seeds_[i], word.size());
    }
    begun_.set(word.size());
  }
  [[nodiscard]] std::uint64_t operator()(std::size_t i) const {
    return word_.size() <= kMumWordBytesMax ? mum_end(begins_[word_.size()][i], mixed_)
                                            : mumhash(word_, seeds_[i]);
  }

 private:
  const Row& seeds_;
  std::string_view word_;
  std::uint64_t mixed_ = 0;
  std::array<Row, kMumWordBytesMax + 1> begins_;  ///< for words of each length, once begun
  std::bitset<kMumWordBytesMax + 1> begun_;
};

class XxWordHash {
 public:
  explicit XxWordHash(const HashKeys& keys) : seeds_(keys.seeds) {}
  void take(std::string_view word) { word_ = word; }
  [[nodiscard]] std::uint64_t operator()(std::size_t i) const {
    return XXH64(word_.data(), word_.size(), seeds_[i]);
  }

 private:
  const Row& seeds_;
  std::string_view word_;
};

class Xx3WordHash {
 public:
  explicit Xx3WordHash(const HashKeys& keys) : seeds_(keys.seeds) {}
  void take(std::string_view word) { word_ = word; }
  [[nodiscard]] std::uint64_t operator()(std::size_t i) const {
    return XXH3_64bits_withSeed(word_.data(), word_.size(), seeds_[i]);
  }

 private:
  const Row& seeds_;
  std::string_view word_;
};

/// A window's value: `full` unshifted, `half` and `least` shifted out by 8 and 16 bits.
constexpr std::uint64_t weigh(std::uint64_t full, std::uint64_t half, std::uint64_t least) {
  return full ^ (half >> 8) ^ (least >> 16);
}

/// The newest word of a window is unshifted; before the first word there are zeros.
template <typename WordHash>
Shingles slide_text(const WordList& words, const HashKeys& keys) {
  Row minima = kNoMinima;
  Row before{};
  Row before_that{};
  WordHash hash(keys);
  const std::size_t windows = window_count(words);
  for (std::size_t p = 0; p < windows; ++p) {
    hash.take(words[p]);
    for (std::size_t i = 0; i < kShingleCount; ++i) {
      const std::uint64_t newest = hash(i);
      minima[i] = std::min(minima[i], weigh(newest, before[i], before_that[i]));
      before_that[i] = before[i];
      before[i] = newest;
    }
  }
  return minima;
}

/// The first token of a window is unshifted; after the last token there are zeros.
template <typename WordHash>
Shingles slide_structure(const WordList& words, const HashKeys& keys) {
  Row minima = kNoMinima;
  Row first{};
  Row second{};
  WordHash hash(keys);
  const std::size_t windows = window_count(words);
  if (windows == 0) return minima;
  for (std::size_t p = 0; p < windows + kWindow - 1; ++p) {
    if (p < words.size()) hash.take(words[p]);
    for (std::size_t i = 0; i < kShingleCount; ++i) {
      const std::uint64_t third = p < words.size() ? hash(i) : 0;
      if (p + 1 >= kWindow) minima[i] = std::min(minima[i], weigh(first[i], second[i], third));
      first[i] = second[i];
      second[i] = third;
    }
  }
  return minima;
}

/// Hashes each word three times in a row where three neighbours were meant: a slip in rspamd that
/// has become the format. So a value depends on one word only, and each distinct word is hashed
/// once.
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
      return slide_text<XxWordHash>(stems, keys);
    case HashAlgorithm::kFasthash:
      return slide_text<Xx3WordHash>(stems, keys);
    case HashAlgorithm::kMumhash:
      break;
  }
  return slide_text<MumWordHash>(stems, keys);
}

Shingles make_structure_shingles(const HashKeys& keys, const WordList& tokens) {
  switch (keys.algorithm) {
    case HashAlgorithm::kXxhash:
      return slide_structure<XxWordHash>(tokens, keys);
    case HashAlgorithm::kFasthash:
      return slide_structure<Xx3WordHash>(tokens, keys);
    case HashAlgorithm::kSiphash:
    case HashAlgorithm::kMumhash:
      break;
  }
  return slide_structure<MumWordHash>(tokens, keys);
}

}  // namespace shingled::fingerprint
