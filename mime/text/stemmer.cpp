#include "mime/text/stemmer.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mime/fingerprint/load_bytes.h"

namespace shingled::mime {

namespace {

// Debian's libstemmer also has eu ca ga hy yi, which rspamd has not: they must stay unused.
constexpr std::array<std::string_view, 23> kLanguages = {
    "ar", "da", "de", "el", "en", "es", "fi", "fr", "hi", "hu", "id", "it",
    "lt", "ne", "nl", "no", "pt", "ro", "ru", "sr", "sv", "ta", "tr"};

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

/// Snowball's stemmers, with the stems they gave lately: texts say the same words over and over,
/// and a look-up costs a tenth of a stem.
class StemCache {
 public:
  /// `language` counts in kLanguages.
  std::string_view stem(std::string_view word, std::size_t language) {
    if (word.size() > kWordBytesMax) return stem_with(snowball(language), word);
    const Key key(word, language);
    Entry& entry = entries_[key.slot()];
    if (!entry.is(key, word)) {
      const std::string_view stem = stem_with(snowball(language), word);
      if (stem.size() > kWordBytesMax) return stem;
      entry.set(key, word, stem);
    }
    return {entry.stem.data(), entry.stem_bytes};
  }

 private:
  static constexpr std::size_t kLane = sizeof(std::uint64_t);
  static constexpr std::size_t kWordBytesMax = 26;
  static constexpr unsigned kSlotBits = 11;

  /// A word by its first and its last eight bytes, which are all of most words.
  struct Key {
    Key(std::string_view word, std::size_t language_number)
        : bytes(static_cast<std::uint8_t>(word.size())),
          language(static_cast<std::uint8_t>(language_number)) {
      const std::size_t lane = std::min(word.size(), kLane);
      first = fingerprint::load_bytes(word.data(), lane);
      last = fingerprint::load_bytes(word.data() + word.size() - lane, lane);
    }
    friend bool operator==(const Key&, const Key&) = default;

    /// One multiplication. Whoever makes words collide pays no more than a stem for each.
    [[nodiscard]] std::size_t slot() const {
      constexpr std::uint64_t kGoldenRatio = 0x9E37'79B9'7F4A'7C15;  // Fibonacci hashing
      return ((first ^ std::rotl(last, 7)) + bytes) * kGoldenRatio >> (64 - kSlotBits);
    }

    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint8_t bytes = 0;
    std::uint8_t language = 0;
  };

  /// What a key does not tell of a long word.
  static std::string_view middle_of(std::string_view word) {
    return word.size() > 2 * kLane ? word.substr(kLane, word.size() - 2 * kLane)
                                   : std::string_view();
  }

  struct alignas(64) Entry {  // a line of the processor's cache
    [[nodiscard]] bool is(const Key& wanted, std::string_view word) const {
      if (!(key == wanted)) return false;
      const std::string_view rest = middle_of(word);
      return rest.empty() || rest == std::string_view(middle.data(), rest.size());
    }
    void set(const Key& new_key, std::string_view word, std::string_view new_stem) {
      key = new_key;
      middle_of(word).copy(middle.data(), middle.size());
      new_stem.copy(stem.data(), stem.size());
      stem_bytes = static_cast<std::uint8_t>(new_stem.size());
    }

    Key key{{}, 0};
    std::uint8_t stem_bytes = 0;
    std::array<char, kWordBytesMax - 2 * kLane> middle;
    std::array<char, kWordBytesMax> stem;
  };

  sb_stemmer* snowball(std::size_t language) {
    SnowballPtr& kept = snowballs_[language];
    if (!kept) kept.reset(sb_stemmer_new(std::string(kLanguages[language]).c_str(), "UTF_8"));
    return kept.get();
  }

  std::array<SnowballPtr, kLanguages.size()> snowballs_;
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kSlotBits);
};

namespace {

StemCache& thread_cache() {
  thread_local StemCache cache;
  return cache;
}

}  // namespace

Stemmer::Stemmer(std::string_view language)
    : language_(static_cast<std::size_t>(std::find(kLanguages.begin(), kLanguages.end(), language) -
                                         kLanguages.begin())),
      cache_(language_ < kLanguages.size() ? &thread_cache() : nullptr) {}

std::string_view Stemmer::stem(std::string_view word) const {
  return cache_ == nullptr || word.empty() ? word : cache_->stem(word, language_);
}

}  // namespace shingled::mime
