#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// A line that begins with "--" and may separate the parts of a multipart.
struct Delimiter {
  std::size_t begin = 0;   ///< of the "--"; the part before ends here
  std::size_t behind = 0;  ///< the start of the next part: the next line, or the closing "--"
  std::string_view name;   ///< compared with boundaries
  std::string_view line;   ///< the name with a closing "--"
  bool closing = false;    ///< ends in "--"

  /// Whether the line has only dashes, as people draw them.
  [[nodiscard]] bool is_rule() const {
    return line.find_first_not_of('-') == std::string_view::npos;
  }

  enum class Match : unsigned char { kNo, kOpening, kClosing };
  /// Whether this line opens or closes a part of `boundary`, ignoring case. For a boundary that
  /// ends in "--" itself the line opens a part.
  [[nodiscard]] Match match(std::string_view boundary) const;
};

/// All lines of a text that begin with "--" and have a name, in order.
///
/// It keeps only two offsets per line, as a message may consist of such lines; a line is parsed
/// each time it is asked for.
/// Threads: immutable, any thread.
/// Cost: one pass, no copies.
class DelimiterList {
 public:
  /// `bytes`: less than 4 GB; must outlive the list. The list ends after `count_max` lines.
  DelimiterList(std::string_view bytes, std::size_t count_max);

  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] bool truncated() const { return truncated_; }
  [[nodiscard]] std::size_t begin_of(std::size_t index) const { return lines_[index].begin; }
  [[nodiscard]] Delimiter operator[](std::size_t index) const;
  /// The index of the first that begins at or after `offset`.
  [[nodiscard]] std::size_t first_from(std::size_t offset) const;

 private:
  struct Line {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;  ///< of the line, without its break
  };

  std::string_view bytes_;
  std::vector<Line> lines_;
  bool truncated_ = false;
};

}  // namespace shingled::mime
