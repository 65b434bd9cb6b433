#pragma once

#include <array>
#include <span>
#include <string_view>

#include "mime/language/script.h"
#include "mime/language/trigram_table.h"
#include "mime/model/work_meter.h"
#include "mime/words/tokenizer.h"

namespace shingled::mime {

/// For each language of the trigram table the shares of the trigrams of a text, summed up.
using TrigramShares = std::array<double, kTrigramLanguagesMax>;

/// What rspamd's draw of words would give on average (HASHING.md 12.4).
///
/// rspamd cuts a text into 80 stretches of words, the first one longer by the remainder, and draws
/// a word from each but the first, for which the very first word of the text stands. A word that
/// does not begin and end in a letter is drawn again, at most as often as the stretch has words,
/// and then from the whole text. We let every word take part with the weight of its chance instead:
/// the same text always gets the same answer, and the likeliest one. In longer stretches only some
/// words at even distances are looked at, of long words the beginning.
/// Input:   words of `line`, at least two.
/// Threads: any thread.
/// Cost:    O(words), at most some 1300 words of 128 letters, a look-up a letter.
TrigramShares expect_trigram_shares(std::string_view line, std::span<const Token> words,
                                    Alphabet alphabet, WorkMeter& meter);

/// The language these shares speak for, as rspamd weighs them: on logarithms, with an advantage for
/// the commonest languages where no language stands out. Empty if no language has a share.
std::string_view elect_language(const TrigramShares& shares);

}  // namespace shingled::mime
