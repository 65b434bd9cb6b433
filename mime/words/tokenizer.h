#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

enum class ExceptionKind : std::uint8_t { kUrl, kLineStart, kLink };

/// A stretch of a one-line text that is not split into words; of length 0 for the start of a line.
struct Exception {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
  ExceptionKind kind = ExceptionKind::kLineStart;
  friend bool operator==(const Exception&, const Exception&) = default;
};

enum class TokenKind : std::uint8_t {
  kWord,
  kDecayed,  ///< a word that was thinned out of a long text: not hashed
  kUrl,      ///< a URL in its place: not hashed; its offset and length are those of the exception
};

struct Token {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
  TokenKind kind = TokenKind::kWord;
  friend bool operator==(const Token&, const Token&) = default;
};

struct TokenizerOptions {
  WordForm form = WordForm::kPosix;
  std::uint32_t words_max = 100'000;  ///< tokens; the rest of the text is left out
};

/// Splits a one-line text into words (HASHING.md section 10).
///
/// Input:   UTF-8, and its exceptions in ascending order (HASHING.md 9, step 8).
/// Errors:  none; what the meter refuses to pay for is left out.
/// Threads: stateless.
/// Cost:    O(text), paid by its boundaries.
std::vector<Token> split_words(std::string_view text, std::span<const Exception> exceptions,
                               const TokenizerOptions& options, WorkMeter& meter);

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
