#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mime/words/tokenizer.h"

namespace shingled::mime {

/// Splits a one-line text of unknown charset into words at ASCII delimiters, as rspamd does where
/// it gives up on Unicode (charset.h: DecodedText::raw).
///
/// The first character of the text, of a line and behind a URL is skipped, a word that ends the
/// text is lost, and after a URL that begins the text no other is seen: all of that is part of the
/// hashes.
///
/// Input:   any bytes, and its exceptions in ascending order.
/// Errors:  none.
/// Threads: stateless.
/// Cost: O(text).
std::vector<Token> split_raw_words(std::string_view text, std::span<const Exception> exceptions,
                                   std::uint32_t words_max);

/// The form of such a word that is compared: ASCII letters in lower case, nothing stemmed.
std::string raw_stem(std::string_view word);

}  // namespace shingled::mime
