#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shingled::config {

/// One line of a manual page in the macros of man(7): the macro and its arguments, without quotes
/// and escapes. A line of text has no macro and is one argument.
struct PageLine {
  std::string macro;  ///< "BR"; empty for text
  std::vector<std::string> arguments;

  static PageLine parse(std::string_view line);
  /// What a reader sees of it, without fonts: the arguments of .BR and similar macros without
  /// blanks between them, those of other macros with one blank.
  [[nodiscard]] std::string shown() const;
};

/// A text in lines of at most `width` bytes, each after `indent`; a longer word gets its own line.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width);

}  // namespace shingled::config
