#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

enum class ExceptionKind : std::uint8_t { kUrl, kLineStart, kLink };

/// A stretch of a one-line text that is not split into words. The start of a line has length 0.
struct Exception {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
  ExceptionKind kind = ExceptionKind::kLineStart;
  friend bool operator==(const Exception&, const Exception&) = default;
};

enum class TokenKind : std::uint8_t {
  kWord,
  kDecayed,  ///< a word left out of a long text: not hashed
  kUrl,      ///< a URL: not hashed; offset and length are those of the exception
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
/// Input:   UTF-8, with its exceptions in ascending order (HASHING.md 9, step 8).
/// Errors:  none; words that `meter` refuses to pay for are left out.
/// Threads: stateless.
/// Cost:    O(text), paid per boundary.
std::vector<Token> split_words(std::string_view text, std::span<const Exception> exceptions,
                               const TokenizerOptions& options, WorkMeter& meter);

/// Splits a one-line text of unknown charset into words at ASCII delimiters, as rspamd does with
/// such texts (charset.h: DecodedText::raw).
///
/// Hashes depend on these quirks: the first character of the text, of a line and after a URL is
/// skipped; a word that ends the text is lost; after a URL that begins the text no other is seen.
///
/// Input:   any bytes, with exceptions in ascending order.
/// Errors:  none.
/// Threads: stateless.
/// Cost: O(text).
std::vector<Token> split_raw_words(std::string_view text, std::span<const Exception> exceptions,
                                   std::uint32_t words_max);

/// The normal form of such a word: ASCII letters in lower case, not stemmed.
std::string raw_stem(std::string_view word);

}  // namespace shingled::mime
