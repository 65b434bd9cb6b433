#pragma once

#include <cstddef>
#include <cstdint>
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

/// All lines of a text that begin with "--" and have a name, in order.
///
/// Kept are two offsets a line, for a message may be made of nothing else; what a line says is read
/// again when it is asked for.
/// Threads: immutable, any thread.
/// Cost: one pass, no copies.
class DelimiterList {
 public:
  /// `bytes`: less than 4 GB; must outlive the list. Beyond `count_max` lines the rest is not seen.
  DelimiterList(std::string_view bytes, std::size_t count_max);

  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] bool truncated() const { return truncated_; }
  [[nodiscard]] std::size_t begin_of(std::size_t index) const { return lines_[index].begin; }
  [[nodiscard]] Delimiter operator[](std::size_t index) const;
  /// The first that begins at or behind `offset`, as an index.
  [[nodiscard]] std::size_t first_from(std::size_t offset) const;

 private:
  struct Line {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;  ///< of the line, where its break is
  };

  std::string_view bytes_;
  std::vector<Line> lines_;
  bool truncated_ = false;
};

}  // namespace shingled::mime
