#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/base/ascii.h"
#include "config/options/hash_options.h"
#include "mime/language/alphabet.h"

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

}  // namespace shingled::mime
