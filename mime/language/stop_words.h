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
  bool diacritics = false;      ///< written with them: English words in such a text mean little
  std::uint16_t list_size = 0;  ///< words in the list, which a count is divided by
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

/// A number for each language of kStopLanguages.
using StopCounts = std::array<std::uint32_t, kStopLanguages.size()>;

/// What a stop word stands between, and may have inside.
inline constexpr ascii::CharSet kStopWordEdges(" \t\n\f\r!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");

/// Counts the stop words of the languages of one alphabet, in any case, between spaces and ASCII
/// punctuation; one that is part of a longer one ("that" in "that'll") counts beside it. It stops
/// early once a language is beyond doubt. With Compat::kRspamd4 each word of a list counts once,
/// however often it occurs.
/// Threads: any thread.
/// Cost: O(text), a few look-ups a word.
/// Source: HASHING.md 12.2.
StopCounts count_stop_words(std::string_view text, Alphabet alphabet, Compat compat);

/// A set of kStopLanguages: bit i stands for language i.
using LanguageBits = std::uint32_t;

/// A stop word, or the beginning of one that has an edge in it.
struct StopWord {
  std::array<std::uint64_t, 5> lanes{};  ///< its bytes, with zeros behind them
  std::uint32_t bytes = 0;
  LanguageBits languages = 0;  ///< that have the word; none of a mere beginning
  bool continues = false;      ///< a longer stop word goes on behind it: "that" for "that'll"
};

/// The stop words of all languages, looked up eight bytes at a time: most words of a text cost a
/// multiplication and a bit.
/// Threads: constant.
class StopTable {
 public:
  static constexpr std::size_t kWordBytesMax = sizeof(StopWord::lanes);
  /// So many bytes behind a word that is looked up must be readable.
  static constexpr std::size_t kBytesBehind = sizeof(std::uint64_t) - 1;

  /// The table of the lists in mime/language/data, made when it is first asked for.
  static const StopTable& instance();

  /// The number of a word of at least one byte, its ASCII in any case and other letters in lower
  /// case; kNone if it is not there.
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

  /// What `find` compares a word with at most, whatever it is: the words are fixed, so a hash that
  /// everybody knows does no harm.
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

  /// Eight bytes with their ASCII in lower case: the top bit of each says whether it is a capital.
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
  std::bitset<std::size_t{1} << kMaybeBits> maybe_;  ///< of nine words in ten that are not there
  std::array<std::uint16_t, kSlots> slots_{};        ///< number of a word plus one; 0 = empty
};

/// A file of mime/language/data as it stands in the source tree, by name ("en.stop"); it is part of
/// the program, so that nothing has to be found or read at run time. Empty for a name that is not
/// there.
std::string_view embedded_file(std::string_view name);

}  // namespace shingled::mime
