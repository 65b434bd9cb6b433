#include "mime/text/stemmer.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

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

std::uint64_t load(const char* bytes, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  return value;
}

}  // namespace

/// Snowball's stemmer of one language, with the stems it gave lately: texts say the same words over
/// and over, and a look-up costs a fifth of a stem.
class StemCache {
 public:
  explicit StemCache(std::string_view language)
      : snowball_(sb_stemmer_new(std::string(language).c_str(), "UTF_8")) {}

  std::string_view stem(std::string_view word) {
    if (word.size() > kWordBytesMax) return make_stem(word);
    Entry& entry = entries_[slot_of(word)];
    if (word != std::string_view(entry.word.data(), entry.word_bytes)) {
      const std::string_view stem = make_stem(word);
      if (stem.size() > kWordBytesMax) return stem;
      std::memcpy(entry.word.data(), word.data(), word.size());
      std::memcpy(entry.stem.data(), stem.data(), stem.size());
      entry.word_bytes = static_cast<std::uint8_t>(word.size());
      entry.stem_bytes = static_cast<std::uint8_t>(stem.size());
    }
    return {entry.stem.data(), entry.stem_bytes};
  }

 private:
  static constexpr std::size_t kWordBytesMax = 23;
  static constexpr unsigned kSlotBits = 9;

  struct Entry {
    std::uint8_t word_bytes = 0;
    std::uint8_t stem_bytes = 0;
    std::array<char, kWordBytesMax> word;
    std::array<char, kWordBytesMax> stem;
  };

  /// By the first and the last eight bytes: one multiplication. Whoever makes words collide pays no
  /// more than a stem for each.
  static std::size_t slot_of(std::string_view word) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
    const std::size_t bytes = std::min<std::size_t>(word.size(), sizeof(std::uint64_t));
    const std::uint64_t first = load(word.data(), bytes);
    const std::uint64_t last = load(word.data() + word.size() - bytes, bytes);
    return ((first ^ (last << 7 | last >> 57)) + word.size()) * kOdd >> (64 - kSlotBits);
  }

  std::string_view make_stem(std::string_view word) {
    if (!snowball_) return word;
    const sb_symbol* stem =
        sb_stemmer_stem(snowball_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                        static_cast<int>(word.size()));
    const int size = sb_stemmer_length(snowball_.get());
    if (stem == nullptr || size <= 0) return word;
    return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(size)};
  }

  SnowballPtr snowball_;
  std::array<Entry, std::size_t{1} << kSlotBits> entries_{};
};

namespace {

StemCache* thread_cache(std::string_view language) {
  thread_local std::array<std::unique_ptr<StemCache>, kLanguages.size()> kept;
  const auto found = std::find(kLanguages.begin(), kLanguages.end(), language);
  if (found == kLanguages.end()) return nullptr;
  auto& slot = kept[static_cast<std::size_t>(found - kLanguages.begin())];
  if (!slot) slot = std::make_unique<StemCache>(language);
  return slot.get();
}

}  // namespace

Stemmer::Stemmer(std::string_view language) : cache_(thread_cache(language)) {}

std::string_view Stemmer::stem(std::string_view word) const {
  return cache_ == nullptr || word.empty() ? word : cache_->stem(word);
}

}  // namespace shingled::mime
