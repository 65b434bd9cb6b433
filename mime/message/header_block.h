#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/mime_options.h"
#include "mime/model/mail.h"

namespace shingled::mime {

constexpr bool is_line_break(char c) { return c == '\r' || c == '\n'; }

/// Finds line breaks, CR or LF, from the front of a text to its end.
///
/// It remembers the next break of each kind, so that a text with only one kind is not searched to
/// its end for the other kind at each line.
/// Threads: a value.
/// Cost:    linear in the text for all calls together; no allocation.
class LineBreaks {
 public:
  explicit LineBreaks(std::string_view text)
      : text_(text), line_feed_(find('\n', 0, text.size())), return_(find('\r', 0, line_feed_)) {}

  /// The first CR or LF at or after `at`, or the size of the text. `at` must not be less than in
  /// the call before.
  std::size_t next(std::size_t at) {
    if (line_feed_ < at) line_feed_ = find('\n', at, text_.size());
    if (return_ < at) return_ = find('\r', at, line_feed_);
    return std::min(line_feed_, return_);
  }

 private:
  /// The first `c` in [from, to), or `to`.
  [[nodiscard]] std::size_t find(char c, std::size_t from, std::size_t to) const {
    return from >= to ? to : std::min(text_.substr(0, to).find(c, from), to);
  }

  std::string_view text_;
  std::size_t line_feed_;
  std::size_t
      return_;  ///< of a CR before that line feed; the line feed's own place if there is none
};

/// The header of a message or part.
struct HeaderBlock {
  std::vector<HeaderField> fields;
  std::size_t body_begin = 0;  ///< after the empty line
  bool ended = false;          ///< an empty line was found; without it there is no header
  bool truncated = false;      ///< a limit was reached, so fields are missing or cut
};

/// Splits the header off the front of `bytes`.
///
/// Input:   any bytes. A line that is neither a field nor a continuation is skipped.
/// Errors:  none.
/// Threads: stateless.
/// Cost: linear; fields are views.
/// Source:  RFC 5322 2.2, with lone CR or LF as a line break.
HeaderBlock split_header_block(std::string_view bytes, const MimeOptions& options);

/// `value` with each line break and the blanks after it replaced by a space (RFC 5322 2.2.3).
std::string unfold(std::string_view value);

/// The one word of a structured field such as `Auto-Submitted: auto-replied (vacation)`, in lower
/// case: without blanks, folds and comments around it, comments in comments included, and without
/// quotes. Parameters after a ";" do not matter.
///
/// Input:   the raw value of a field, folded or not; what is beyond kFieldWordBytesMax is not read.
/// Output:  empty if there is none, if a second word follows, or if a comment or quote is not
///          closed: then nobody can say what the field means.
/// Errors:  none.
/// Threads: stateless.
/// Cost:    linear.
/// Source:  RFC 5322 3.2.2 (CFWS), RFC 3834 5, RFC 5965 3.1.
std::string field_word(std::string_view value);

inline constexpr std::size_t kFieldWordBytesMax = 8UL * 1024;

/// Moves `at` after white space, folds and comments in `value` (RFC 5322 3.2.2, CFWS). False if a
/// comment has no end; `at` is the end of `value` then.
bool skip_blanks_and_comments(std::string_view value, std::size_t& at);

}  // namespace shingled::mime
