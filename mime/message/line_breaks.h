#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace shingled::mime {

/// Finds line breaks, CR and LF alike, from the front of a text to its end.
///
/// It remembers where the next of each kind is, so that a text with one kind only is not searched
/// to its end for the other kind at each line.
/// Threads: a value.
/// Cost: linear in the text, for all calls together; no allocation.
class LineBreaks {
 public:
  explicit LineBreaks(std::string_view text)
      : text_(text), line_feed_(find('\n', 0, text.size())), return_(find('\r', 0, line_feed_)) {}

  /// The first CR or LF at or behind `at`; the size of the text if there is none. `at` is not less
  /// than in the call before.
  std::size_t next(std::size_t at) {
    if (line_feed_ < at) line_feed_ = find('\n', at, text_.size());
    if (return_ < at) return_ = find('\r', at, line_feed_);
    return std::min(line_feed_, return_);
  }

 private:
  /// The first `c` in [from, to), `to` if there is none.
  [[nodiscard]] std::size_t find(char c, std::size_t from, std::size_t to) const {
    return from >= to ? to : std::min(text_.substr(0, to).find(c, from), to);
  }

  std::string_view text_;
  std::size_t line_feed_;
  std::size_t
      return_;  ///< of a CR before that line feed; the line feed's own place if there is none
};

}  // namespace shingled::mime
