#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shingled::milter::setup {

/// A setting of another program that is not as it should be.
struct Difference {
  std::string setting;
  std::string now;     ///< empty = nothing
  std::string wanted;  ///< the whole value
  std::string why;     ///< one sentence
};

/// A file as it should be.
struct FileEdit {
  std::string path;
  std::string content;  ///< the whole new file
};

/// What is to be done so that a program works with this filter. Without differences and problems
/// everything is right.
struct Plan {
  std::vector<Difference> differences;
  std::vector<FileEdit> edits;        ///< that remove the differences, unless a program does it
  std::vector<std::string> scripts;   ///< to be compiled; mail programs also work without
  std::vector<std::string> problems;  ///< what a person has to decide
  std::vector<std::string> notes;     ///< good to know; nothing is wrong

  [[nodiscard]] bool is_right() const { return differences.empty() && problems.empty(); }
};

/// The words between blanks, tabs, ends of lines and commas; what is in braces is one word with
/// its braces.
std::vector<std::string> list_words(std::string_view text);

/// Text without blanks, tabs and ends of lines at both ends.
std::string_view trimmed(std::string_view text);

/// Why a plan of removal takes a setting out.
inline constexpr const char* kWhyRemoved = "the filter is not asked any more";

}  // namespace shingled::milter::setup
