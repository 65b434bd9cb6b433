#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// A line that begins with "--" and may separate the parts of a multipart.
struct Delimiter {
  std::size_t begin = 0;  ///< of the "--"; the part before ends here
  std::size_t after = 0;  ///< the start of the next part: the next line, or the closing "--"
  std::string_view name;  ///< compared with boundaries
  std::string_view line;  ///< the name with a closing "--"
  bool closing = false;   ///< ends in "--"

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

// Where scan_message() stands in a message: what is still to be read of which bytes.
// Threads: values of one scan.

struct ScanRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] bool empty() const { return begin >= end; }
};

/// The bytes of a message and of the messages nested in it. A nested message that is encoded has
/// its own source, and so has what was signed.
class ScanSource {
 public:
  explicit ScanSource(std::string_view all) : bytes(all) {}
  const std::string_view bytes;
  /// Collected at first use, as most messages are not multiparts.
  std::optional<DelimiterList> delimiters{};
};

/// A message, outermost or nested, or the entity in a signed part.
struct ScanScope {
  ScanSource* source = nullptr;
  ScanRange range;
  std::optional<std::uint32_t> parent;  ///< the part it is the body of
  std::string path;                     ///< of that part
  /// The begin of the latest delimiter that matched a boundary, or of the message if none did.
  /// Left-overs are searched after it, so that no part is read twice.
  std::size_t matched = 0;
  bool was_signed = false;  ///< an entity, not a message: rspamd finds no delimiters in it
};

/// A range that is still to be split into parts: a multipart, or the rest of the message after it.
struct ScanFrame {
  enum class Kind : std::uint8_t { kMultipart, kLeftovers };
  Kind kind = Kind::kMultipart;
  ScanScope* scope = nullptr;
  ScanRange range{};
  std::uint32_t part = 0;     ///< the multipart
  std::string boundary{};     ///< empty: the first delimiter decides
  std::string path_prefix{};  ///< of its children
  std::size_t next_delimiter = 0;
  std::size_t child_begin = 0;
  bool in_child = false;
};

}  // namespace shingled::mime
