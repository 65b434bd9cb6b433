#include "mime/fingerprint/shingles.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <limits>
#include <string>

#include "mime/fingerprint/mumhash.h"

namespace shingled::fingerprint {

namespace {

constexpr std::size_t kWindow = 3;  ///< words

/// One value for each generator: the hashes of one word, or the minima so far.
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

void hash_mum(std::string_view word, const HashKeys& keys, Row& out) {
  if (word.size() > kMumWordBytesMax) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = mumhash(word, keys.seeds[i]);
    return;
  }
  const MumWord mixed = mum_word(word);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = mumhash(mixed, keys.seeds[i]);
}

void hash_xx(std::string_view word, const HashKeys& keys, Row& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = XXH64(word.data(), word.size(), keys.seeds[i]);
  }
}

void hash_xx3(std::string_view word, const HashKeys& keys, Row& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = XXH3_64bits_withSeed(word.data(), word.size(), keys.seeds[i]);
  }
}

/// Folds a window into the minima: `full` unshifted, `half` and `least` shifted out by 8 and 16
/// bits.
void fold(const Row& full, const Row& half, const Row& least, Row& minima) {
  for (std::size_t i = 0; i < minima.size(); ++i) {
    const std::uint64_t value = full[i] ^ (half[i] >> 8) ^ (least[i] >> 16);
    minima[i] = std::min(minima[i], value);
  }
}

/// The newest word of a window is unshifted; before the first word there are zeros.
template <typename HashWord>
Shingles slide_text(const WordList& words, const HashKeys& keys, HashWord hash_word) {
  Row minima = kNoMinima;
  Row rows[kWindow] = {};
  const std::size_t windows = window_count(words);
  for (std::size_t p = 0; p < windows; ++p) {
    Row& newest = rows[p % kWindow];
    hash_word(words[p], keys, newest);
    fold(newest, rows[(p + 2) % kWindow], rows[(p + 1) % kWindow], minima);
  }
  return minima;
}

/// The first token of a window is unshifted; after the last token there are zeros.
template <typename HashWord>
Shingles slide_structure(const WordList& words, const HashKeys& keys, HashWord hash_word) {
  Row minima = kNoMinima;
  Row rows[kWindow] = {};
  for (std::size_t p = 0; p < words.size(); ++p) {
    hash_word(words[p], keys, rows[p % kWindow]);
    if (p + 1 < kWindow) continue;
    fold(rows[(p + 1) % kWindow], rows[(p + 2) % kWindow], rows[p % kWindow], minima);
  }
  if (!words.empty() && words.size() < kWindow) fold(rows[0], rows[1], rows[2], minima);
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
      return slide_text(stems, keys, hash_xx);
    case HashAlgorithm::kFasthash:
      return slide_text(stems, keys, hash_xx3);
    case HashAlgorithm::kMumhash:
      break;
  }
  return slide_text(stems, keys, hash_mum);
}

Shingles make_structure_shingles(const HashKeys& keys, const WordList& tokens) {
  switch (keys.algorithm) {
    case HashAlgorithm::kXxhash:
      return slide_structure(tokens, keys, hash_xx);
    case HashAlgorithm::kFasthash:
      return slide_structure(tokens, keys, hash_xx3);
    case HashAlgorithm::kSiphash:
    case HashAlgorithm::kMumhash:
      break;
  }
  return slide_structure(tokens, keys, hash_mum);
}

}  // namespace shingled::fingerprint
