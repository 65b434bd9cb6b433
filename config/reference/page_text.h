#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shingled::config {

/// One line of a manual page in the macros of man(7) as words: what the macro is, and its
/// arguments without quotes and escapes. A line of text has no macro and is one argument.
struct PageLine {
  std::string macro;  ///< "BR"; empty for text
  std::vector<std::string> arguments;

  static PageLine parse(std::string_view line);
  /// What of it a reader sees, without fonts: the arguments of .BR and its like without blanks
  /// between them, those of others with one.
  [[nodiscard]] std::string shown() const;
};

/// A text in lines of at most `width` bytes, each behind `indent`; a longer word has a line of its
/// own.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width);

}  // namespace shingled::config
