#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mime/fingerprint/word_list.h"

namespace shingled::mime {

inline constexpr std::size_t kPhraseWords = 8;
inline constexpr std::size_t kPhraseWordsDense = 16;  ///< of a script without spaces, in pairs
inline constexpr std::size_t kPhrasesMax = 8;         ///< of a text, of each sort
inline constexpr std::size_t kNoticeWordsOfPhrase = 2;
inline constexpr std::size_t kShortTextWordsMin = 3;
inline constexpr std::size_t kShortTextBytesMin = 16;

/// What the phrases of a text say.
struct Phrases {
  std::vector<std::string> own;      ///< fewer than kNoticeWordsOfPhrase words are is_boilerplate()
  std::vector<std::string> notices;  ///< how to unsubscribe, and the like: services write them, too
};

/// Some of the phrases of a text: runs of kPhraseWords words, of kPhraseWordsDense if they begin
/// with a letter of a script without spaces. Those with the smallest hashes are taken, wherever
/// they stand. So two texts that share a part have some of them in common, whatever is around it:
/// if half of the phrases are the same, one of eight is with 99.6 %.
///
/// Input:   words in the normal form of robust_words(), with notices.
/// Output:  at most kPhrasesMax of each sort, their words separated by spaces; none of a shorter
///          text.
/// Threads: stateless.
/// Cost:    a hash of about 50 bytes for each word.
Phrases sample_phrases(const WordList& words);

/// A text that is too short for a phrase, as a whole, its words separated by spaces. Empty if it is
/// longer, or has fewer than kShortTextWordsMin words or kShortTextBytesMin bytes: people write
/// "thank you", too.
/// Threads: stateless.
std::string short_text(const WordList& words);

}  // namespace shingled::mime
