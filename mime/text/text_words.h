#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "config/options/mime_options.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/html/html_to_text.h"
#include "mime/language/language.h"
#include "mime/text/oneline.h"
#include "mime/url/url_finder.h"
#include "mime/words/tokenizer.h"

namespace shingled::mime {

/// A decoded text with facts about its part.
struct TextInput {
  std::string_view content;  ///< see `bytes`; for HTML the visible text
  TextForm form = TextForm::kPlain;
  TextBytes bytes = TextBytes::kUtf8;
  /// kFull for plain text, unless its multipart has exactly two children (HASHING.md section 9).
  UrlMode urls = UrlMode::kFull;
  std::span<const LinkSpan> links;  ///< for HTML: the links that were printed in `content`
};

/// The words of a text part, which its hashes are made of.
struct TextWords {
  Oneline line;
  std::vector<UrlSpan> urls;  ///< of `line`, by `url_mode`
  UrlMode url_mode = UrlMode::kFull;
  std::vector<Exception> exceptions;
  std::vector<Token> tokens;  ///< spans of `line.text`
  Language language;
  WordList stems;          ///< of the words that are hashed
  bool truncated = false;  ///< a limit of the options was reached
};

/// Turns a text into words (HASHING.md sections 8 to 12).
///
/// Errors:  none. Text beyond `text_bytes_max` and `words_max` is left out and reported in
///          `truncated`. If `meter` refuses, the words are incomplete and must not be used.
/// Threads: stateless.
/// Cost:    O(content), paid to `meter`.
TextWords make_words(const TextInput& input, const MimeOptions& options, WorkMeter& meter);

}  // namespace shingled::mime
