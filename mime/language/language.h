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
  kNone,       ///< the text has no words
  kScript,     ///< by its letters
  kStopWords,  ///< by its most common words
  kShort,      ///< too few words: the most common language of its alphabet
  kTrigrams,   ///< too few stop words: by the trigrams of its words
};

std::string_view to_string(LanguageBy by);  ///< "none" "script" "stop" "short" "ngram"

struct Language {
  std::string_view code;  ///< "en", "zh-CN"; empty if unknown
  LanguageBy by = LanguageBy::kNone;
};

/// Guesses the language of a text, which decides about its stemmer (HASHING.md section 12).
///
/// rspamd draws words at random and also learns from earlier messages. We use the average of the
/// draw and learn nothing: see trigram_vote.h.
/// Input:   a one-line text and its tokens.
/// Threads: any thread.
/// Cost:    O(text). For a language without stop words, pays `meter` for up to about 1300 words.
Language detect_language(std::string_view line, std::span<const Token> tokens, Compat compat,
                         WorkMeter& meter);

}  // namespace shingled::mime
