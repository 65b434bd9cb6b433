#pragma once

#include <cstdint>
#include <string_view>

#include "config/options/hash_options.h"

namespace shingled::mime {

/// How the language of a text was found.
enum class LanguageBy : std::uint8_t {
  kNone,       ///< no words, no language
  kScript,     ///< by its letters
  kStopWords,  ///< by its commonest words
  kShort,      ///< too few words: the commonest language of its alphabet
  kVote,       ///< no language has stop words enough: most words of all lists
};

std::string_view to_string(LanguageBy by);  ///< "none" "script" "stop" "short" "vote"

struct Language {
  std::string_view code;  ///< "en", "zh-CN"; empty = none
  LanguageBy by = LanguageBy::kNone;
};

/// Guesses the language of a text, which chooses its stemmer (hashing.md section 12).
///
/// Where rspamd would draw words at random and let their trigrams vote, which cannot be reproduced,
/// stop words vote again, those included that several languages share.
/// Input:   a one-line text and its number of tokens.   Threads: any thread.   Cost: O(text).
Language detect_language(std::string_view text, std::size_t tokens, Compat compat);

}  // namespace shingled::mime
