#include "mime/language/stemmer.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/base/reused_thread_local.h"
#include "mime/fingerprint/mumhash.h"

namespace shingled::mime {

namespace {

// Debian's libstemmer also has eu ca ga hy yi. rspamd does not, so they must stay unused.
constexpr std::array<std::string_view, 23> kLanguages = {
    "ar", "da", "de", "el", "en", "es", "fi", "fr", "hi", "hu", "id", "it",
    "lt", "ne", "nl", "no", "pt", "ro", "ru", "sr", "sv", "ta", "tr"};

/// Limit for words in Arabic and Tamil, where the time of Snowball is quadratic (0.5 ms for 3 KB).
/// No real word is longer. Other languages are linear.
constexpr std::size_t kSquareWordBytesMax = 256;

bool takes_square(std::string_view language) { return language == "ar" || language == "ta"; }

struct SnowballDeleter {
  void operator()(sb_stemmer* snowball) const { sb_stemmer_delete(snowball); }
};
using SnowballPtr = std::unique_ptr<sb_stemmer, SnowballDeleter>;

std::string_view stem_with(sb_stemmer* snowball, std::string_view word) {
  if (snowball == nullptr) return word;
  const sb_symbol* stem = sb_stemmer_stem(snowball, reinterpret_cast<const sb_symbol*>(word.data()),
                                          static_cast<int>(word.size()));
  const int size = sb_stemmer_length(snowball);
  if (stem == nullptr || size <= 0) return word;
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(size)};
}

}  // namespace

/// The Snowball stemmers with a cache of recent stems. Texts repeat words, and a look-up costs a
/// tenth of a stem.
class StemCache {
 public:
  /// `language` is an index of kLanguages.
  std::string_view stem(std::string_view word, std::size_t language) {
    if (word.size() > kSquareWordBytesMax && takes_square(kLanguages[language])) return word;
    if (word.size() > kWordBytesMax) return stem_with(snowball(language), word);
    const Key key(word, language);
    Entry& entry = entries_[key.slot()];
    if (entry.key == key) return stem_of(entry, word);
    const std::string_view stem = stem_with(snowball(language), word);
    remember(entry, key, word, stem);
    return stem;
  }

 private:
  static constexpr std::size_t kLane = sizeof(std::uint64_t);
  static constexpr std::size_t kMiddleBytes = 6;
  static constexpr std::size_t kWordBytesMax = 2 * kLane + kMiddleBytes;
  static constexpr std::size_t kEndingBytesMax = 4;
  static constexpr unsigned kSlotBits = 13;

  /// A word: its first and last eight bytes, which is all of most words, and the rest.
  struct Key {
    Key(std::string_view word, std::size_t language) {
      const std::size_t lane = std::min(word.size(), kLane);
      first = fingerprint::load_bytes(word.data(), lane);
      last = fingerprint::load_bytes(word.data() + word.size() - lane, lane);
      if (word.size() > 2 * kLane) {
        rest = fingerprint::load_bytes(word.data() + kLane, word.size() - 2 * kLane) << 16;
      }
      rest |= word.size() << 8 | language;
    }
    friend bool operator==(const Key&, const Key&) = default;

    /// One multiplication. Words that collide on purpose cost no more than a stem each.
    [[nodiscard]] std::size_t slot() const {
      return ((first ^ std::rotl(last, 7)) + rest) * fingerprint::kGoldenRatio >> (64 - kSlotBits);
    }

    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t rest = 0;  ///< the bytes in the middle, the length, the language
  };

  /// A word and its stem: the first bytes of the word and a new ending.
  struct Entry {
    Key key{{}, 0};  ///< at first that of the empty word, which is never looked up
    std::uint8_t kept_bytes = 0;
    std::uint8_t ending_bytes = 0;
    std::array<char, kEndingBytesMax> ending{};
  };
  static_assert(sizeof(Entry) == 32);  // two per cache line

  /// Caches a stem, unless it has too little in common with its word.
  static void remember(Entry& entry, const Key& key, std::string_view word, std::string_view stem) {
    const auto kept = static_cast<std::size_t>(
        std::mismatch(stem.begin(), stem.end(), word.begin(), word.end()).first - stem.begin());
    if (stem.size() - kept > kEndingBytesMax) return;
    entry.key = key;
    entry.kept_bytes = static_cast<std::uint8_t>(kept);
    entry.ending_bytes = static_cast<std::uint8_t>(stem.size() - kept);
    stem.substr(kept).copy(entry.ending.data(), kEndingBytesMax);
  }

  std::string_view stem_of(const Entry& entry, std::string_view word) {
    if (entry.ending_bytes == 0) return word.substr(0, entry.kept_bytes);
    word.copy(stem_.data(), entry.kept_bytes);
    std::copy(entry.ending.begin(), entry.ending.end(), stem_.data() + entry.kept_bytes);
    return {stem_.data(), std::size_t{entry.kept_bytes} + entry.ending_bytes};
  }

  sb_stemmer* snowball(std::size_t language) {
    SnowballPtr& kept = snowballs_[language];
    if (!kept) kept.reset(sb_stemmer_new(std::string(kLanguages[language]).c_str(), "UTF_8"));
    return kept.get();
  }

  std::array<SnowballPtr, kLanguages.size()> snowballs_;
  std::array<char, kWordBytesMax + kEndingBytesMax> stem_{};
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kSlotBits);
};

namespace {

StemCache& thread_cache() { return ReusedThreadLocal<StemCache>::of_this_thread(); }

}  // namespace

Stemmer::Stemmer(std::string_view language)
    : language_(static_cast<std::size_t>(std::find(kLanguages.begin(), kLanguages.end(), language) -
                                         kLanguages.begin())),
      cache_(language_ < kLanguages.size() ? &thread_cache() : nullptr) {}

Steps Stemmer::steps_a_byte() const {
  // For the most expensive words that a search found (g++ 12, 2.1 GHz); indices as kLanguages.
  constexpr std::array<std::uint8_t, kLanguages.size()> kSteps = {
      60, 6, 32, 25, 18, 16, 8, 40, 4, 6, 8, 36, 16, 12, 24, 6, 12, 24, 8, 45, 6, 180, 14};
  return cache_ == nullptr ? 0 : kSteps[language_];
}

std::string_view Stemmer::stem(std::string_view word) const {
  return cache_ == nullptr || word.empty() ? word : cache_->stem(word, language_);
}

}  // namespace shingled::mime
