#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "config/base/ascii.h"
#include "config/options/hash_options.h"
#include "mime/fingerprint/mumhash.h"
#include "mime/language/script.h"

namespace shingled::mime {

/// A language with stop words in mime/language/data.
struct StopLanguage {
  std::string_view code;
  Alphabet alphabet = Alphabet::kLatin;
  bool diacritics = false;      ///< written with them, so English words in such a text mean little
  std::uint16_t list_size = 0;  ///< words in the list; counts are divided by it
};

inline constexpr std::array<StopLanguage, 20> kStopLanguages = {{
    {"en", Alphabet::kLatin, false, 133},    {"de", Alphabet::kLatin, true, 229},
    {"hu", Alphabet::kLatin, true, 179},     {"fr", Alphabet::kLatin, true, 112},
    {"it", Alphabet::kLatin, true, 225},     {"es", Alphabet::kLatin, true, 254},
    {"pt", Alphabet::kLatin, true, 153},     {"nl", Alphabet::kLatin, false, 64},
    {"da", Alphabet::kLatin, true, 19},      {"fi", Alphabet::kLatin, true, 210},
    {"tr", Alphabet::kLatin, true, 35},      {"no", Alphabet::kLatin, true, 79},
    {"sv", Alphabet::kLatin, true, 59},      {"id", Alphabet::kLatin, false, 748},
    {"ro", Alphabet::kLatin, true, 291},     {"cs", Alphabet::kLatin, true, 281},
    {"ru", Alphabet::kCyrillic, false, 148}, {"ne", Alphabet::kDevanagari, false, 253},
    {"ar", Alphabet::kArabic, false, 238},   {"sl", Alphabet::kLatin, true, 31},
}};

/// A count for each language of kStopLanguages.
using StopCounts = std::array<std::uint32_t, kStopLanguages.size()>;

/// The characters around stop words, which may also be inside them.
inline constexpr ascii::CharSet kStopWordEdges(" \t\n\f\r!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");

/// Counts the stop words of the languages of an alphabet, in any case, between spaces and ASCII
/// punctuation. A stop word inside a longer one ("that" in "that'll") counts, too. Stops early once
/// a language is certain. With Compat::kRspamd4 repeated words count once.
/// Threads: any thread.
/// Cost: O(text), a few look-ups a word.
/// Source: HASHING.md 12.2.
StopCounts count_stop_words(std::string_view text, Alphabet alphabet, Compat compat);

/// A set of kStopLanguages: bit i is language i.
using LanguageBits = std::uint32_t;

/// A stop word, or the beginning of one up to an edge inside it.
struct StopWord {
  std::array<std::uint64_t, 5> lanes{};  ///< its bytes, padded with zeros
  std::uint32_t bytes = 0;
  LanguageBits languages = 0;  ///< the languages with this word; 0 for a mere beginning
  bool continues = false;      ///< a longer stop word begins with it: "that" of "that'll"
};

/// The stop words of all languages. A look-up takes eight bytes at a time: for most words of a text
/// it is a multiplication and the test of a bit.
/// Threads: constant.
class StopTable {
 public:
  static constexpr std::size_t kWordBytesMax = sizeof(StopWord::lanes);
  /// Bytes after a word in find() that must be readable.
  static constexpr std::size_t kBytesBehind = sizeof(std::uint64_t) - 1;

  /// The table of the lists in mime/language/data, made at the first call.
  static const StopTable& instance();

  /// The number of a word, or kNone. The word has at least one byte; ASCII in any case, other
  /// letters in lower case.
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  [[nodiscard]] std::size_t find(const char* word, std::size_t bytes) const {
    if (bytes > kWordBytesMax) return kNone;
    const std::uint64_t hash = hash_of(word, bytes);
    if (!maybe_[hash >> (64 - kMaybeBits)]) return kNone;
    for (std::size_t slot = hash >> (64 - kSlotBits);; slot = (slot + 1) % kSlots) {
      if (slots_[slot] == 0) return kNone;
      const std::size_t found = slots_[slot] - std::size_t{1};
      if (is(words_[found], word, bytes)) return found;
    }
  }

  [[nodiscard]] const StopWord& operator[](std::size_t number) const { return words_[number]; }
  [[nodiscard]] std::size_t size() const { return words_.size(); }

  /// The most words that find() compares with. As the words are fixed, a hash without a secret is
  /// safe.
  static constexpr std::size_t kComparedMax = 32;
  [[nodiscard]] std::size_t longest_run() const;

 private:
  static constexpr unsigned kMaybeBits = 15;
  static constexpr unsigned kSlotBits = 13;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  static constexpr std::size_t kLane = sizeof(std::uint64_t);

  StopTable();
  void add_list(std::string_view list, LanguageBits language);
  StopWord& at(std::string_view word);

  /// The bytes of a word from `at` on, at most eight.
  static std::uint64_t lane(const char* word, std::size_t bytes, std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, word + at, kLane);
    const std::size_t rest = bytes - at;
    return lower(rest >= kLane ? value : value & ((std::uint64_t{1} << (8 * rest)) - 1));
  }

  /// Eight bytes with their ASCII in lower case. The top bit of each tells whether it is a capital.
  static std::uint64_t lower(std::uint64_t bytes) {
    constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;
    const std::uint64_t low = bytes & (kEach * 0x7f);
    const std::uint64_t from_a = low + kEach * (0x80 - 'A');
    const std::uint64_t beyond_z = low + kEach * (0x80 - 'Z' - 1);
    return bytes | ((from_a & ~beyond_z & ~bytes & (kEach * 0x80)) >> 2);
  }

  static std::uint64_t hash_of(const char* word, std::size_t bytes) {
    std::uint64_t hash = 0;
    for (std::size_t at = 0; at < bytes; at += kLane) {
      hash = (hash ^ lane(word, bytes, at)) * fingerprint::kGoldenRatio;
    }
    return hash;
  }

  static bool is(const StopWord& stop, const char* word, std::size_t bytes) {
    if (stop.bytes != bytes) return false;
    for (std::size_t at = 0; at < bytes; at += kLane) {
      if (stop.lanes[at / kLane] != lane(word, bytes, at)) return false;
    }
    return true;
  }

  std::vector<StopWord> words_;
  std::bitset<std::size_t{1} << kMaybeBits> maybe_;  ///< rules out nine in ten unknown words
  std::array<std::uint16_t, kSlots> slots_{};        ///< number of a word plus one; 0 = empty
};

/// A file of mime/language/data by name ("en.stop"), embedded in the program; empty for an unknown
/// name.
std::string_view embedded_file(std::string_view name);

}  // namespace shingled::mime
