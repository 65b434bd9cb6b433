#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// A line that begins with "--" and may delimit the parts of a multipart.
struct Delimiter {
  std::size_t begin = 0;   ///< of "--": where the part before it ends
  std::size_t behind = 0;  ///< where the next part begins: the next line, or the closing "--"
  std::string_view name;   ///< what a boundary is compared with
  std::string_view line;   ///< the name and the closing "--", if there is one
  bool closing = false;    ///< ends in "--"

  /// A line of dashes and nothing else, as people draw them.
  [[nodiscard]] bool is_rule() const {
    return line.find_first_not_of('-') == std::string_view::npos;
  }

  enum class Match : unsigned char { kNo, kOpening, kClosing };
  /// How this line delimits parts of `boundary`, compared without case. A boundary that itself ends
  /// in "--" makes a line an opening one.
  [[nodiscard]] Match match(std::string_view boundary) const;
};

/// All lines of `bytes` that begin with "--" and have a name, in order. Cost: linear, no copies.
std::vector<Delimiter> find_delimiters(std::string_view bytes);

/// The first of `delimiters` that begins at or behind `offset`, as an index.
std::size_t first_delimiter_from(const std::vector<Delimiter>& delimiters, std::size_t offset);

}  // namespace shingled::mime
