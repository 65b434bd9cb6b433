#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "milter/terminal/terminal_text.h"
#include "milter/view/json.h"

namespace shingled::milter::terminal {

/// The output of a command: results on one stream, errors and progress on the other.
///
/// Errors: none; `broken()` tells when a stream cannot be written any more.
/// Threads: one thread.
class Console {
 public:
  Console(std::ostream& out, std::ostream& err) : out_(out), err_(err) {}

  /// One line of result.
  void line(std::string_view text);
  /// One object as one line. Bytes that are not UTF-8 (file names) become U+FFFD; characters that a
  /// terminal would obey are escaped (terminal_safe_json).
  void json(const Json& object);
  /// `shingled: what: why` on the error stream.
  void error(std::string_view what, std::string_view why);
  /// A message on the error stream, unchanged.
  void note(std::string_view text);

  /// Draws `text` over the previous one; the next output removes it.
  void draw(std::string_view text);
  /// Removes what was drawn.
  void clear_drawn();

  /// Whether results cannot be written any more (a closed pipe, a full disk); flushes to find out.
  [[nodiscard]] bool broken();

 private:
  std::ostream& out_;
  std::ostream& err_;
  bool drawn_ = false;
};

using TableRow = std::vector<std::string>;

/// Rows as lines: columns padded to the widest cell and two spaces apart, each line after `indent`,
/// no spaces at line ends. Widths count UTF-8 characters. The columns after the first `words` are
/// numbers: they stand below each other, and a row of one cell does not widen columns.
std::vector<std::string> table_lines(const std::vector<TableRow>& rows, std::string_view indent,
                                     std::size_t words = SIZE_MAX);
void print_table(const std::vector<TableRow>& rows, std::string_view indent, Console& console,
                 std::size_t words = SIZE_MAX);

/// `count` with its noun: "1 hash", "2 hashes".
std::string counted(std::size_t count, std::string_view one, std::string_view many);

/// A text cut to `characters`, the last one then "…". Counts characters of UTF-8.
std::string shortened(std::string_view text, std::size_t characters);

}  // namespace shingled::milter::terminal
