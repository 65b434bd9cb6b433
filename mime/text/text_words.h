#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/mime_options.h"
#include "mime/fingerprint/word_list.h"
#include "mime/html/html_to_text.h"
#include "mime/language/language.h"
#include "mime/text/oneline.h"
#include "mime/url/url_finder.h"
#include "mime/words/tokenizer.h"

namespace shingled::mime {

/// A decoded text and what its part tells about it.
struct TextInput {
  std::string_view content;  ///< see `bytes`; of HTML its visible text
  TextForm form = TextForm::kPlain;
  TextBytes bytes = TextBytes::kUtf8;
  /// kFull for plain text, unless its multipart has exactly two children (HASHING.md section 9).
  UrlMode urls = UrlMode::kFull;
  std::span<const LinkSpan> links;  ///< of HTML: where links were printed in `content`
};

/// What the hashes of a text part are made of.
struct TextWords {
  std::string oneline;
  std::vector<Exception> exceptions;
  std::vector<Token> tokens;  ///< spans of `oneline`
  Language language;
  WordList stems;          ///< of the words that are hashed
  bool truncated = false;  ///< a bound of the options was reached
};

/// ServerSelection a text into words (HASHING.md sections 8 to 12).
///
/// Errors:  none; what lies beyond `text_bytes_max` and `words_max` is left out and reported in
/// `truncated`. What the meter refuses to pay for is left out as well: then the words are of no
/// use.
/// Threads: stateless.
/// Cost: O(content), paid to `meter`.
TextWords make_words(const TextInput& input, const MimeOptions& options, WorkMeter& meter);

}  // namespace shingled::mime
