#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/model/work_meter.h"
#include "mime/words/tokenizer.h"

namespace shingled::mime {

/// How the language of a text was found.
enum class LanguageBy : std::uint8_t {
  kNone,       ///< no words, no language
  kScript,     ///< by its letters
  kStopWords,  ///< by its commonest words
  kShort,      ///< too few words: the commonest language of its alphabet
  kTrigrams,   ///< no language has stop words enough: by the trigrams of its words
};

std::string_view to_string(LanguageBy by);  ///< "none" "script" "stop" "short" "ngram"

struct Language {
  std::string_view code;  ///< "en", "zh-CN"; empty = none
  LanguageBy by = LanguageBy::kNone;
};

/// Guesses the language of a text, which chooses its stemmer (HASHING.md section 12).
///
/// Where rspamd draws words at random and adds what their trigrams say to what it learnt from the
/// messages before, we take the draw's average and learn nothing: see trigram_vote.h.
/// Input:   a one-line text and its tokens.
/// Threads: any thread.
/// Cost:    O(text); a language without stop words pays `meter` for up to some 1300 words of it
/// again.
Language detect_language(std::string_view line, std::span<const Token> tokens, Compat compat,
                         WorkMeter& meter);

}  // namespace shingled::mime
