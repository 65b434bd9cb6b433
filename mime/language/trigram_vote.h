#pragma once

#include <array>
#include <span>
#include <string_view>

#include "mime/language/script.h"
#include "mime/language/trigram_table.h"
#include "mime/model/work_meter.h"
#include "mime/words/tokenizer.h"

namespace shingled::mime {

/// For each language of the table the sum of the shares of a text's trigrams.
using TrigramShares = std::array<double, kTrigramLanguagesMax>;

/// The average result of rspamd's draw of words (HASHING.md 12.4).
///
/// rspamd divides a text into 80 stretches of words, the first one longer by the remainder. It
/// takes the first word of the text and draws a word from each other stretch. If a word does not
/// begin and end in a letter, it draws again, at most once per word of the stretch and then from
/// the whole text. We weight every word by its chance instead, so the same text always gets the
/// same, most likely answer. In long stretches we use only some evenly spaced words, and of long
/// words only the beginning.
/// Input:   words of `line`, at least two.
/// Threads: any thread.
/// Cost:    O(words), a look-up per letter, at most about 1300 words of 128 letters.
TrigramShares expect_trigram_shares(std::string_view line, std::span<const Token> words,
                                    Alphabet alphabet, WorkMeter& meter);

/// The language with the best shares, as rspamd weighs them: by logarithms, and with an advantage
/// for the most common languages if no language stands out. Empty if no language has a share.
std::string_view elect_language(const TrigramShares& shares);

}  // namespace shingled::mime
