#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shingled::mime {

enum class CssTokenKind : std::uint8_t {
  kEnd,
  kSpace,
  kIdent,     ///< text: the name
  kFunction,  ///< text: the name, without the parenthesis
  kHash,      ///< text: without the #
  kString,
  kNumber,  ///< number, text: the unit or "%"
  kDelim,   ///< text: one character
};

struct CssToken {
  CssTokenKind kind = CssTokenKind::kEnd;
  std::string_view text;
  double number = 0;

  [[nodiscard]] bool is(char delim) const {
    return kind == CssTokenKind::kDelim && text.front() == delim;
  }
};

/// Cuts CSS into tokens: the subset of CSS Syntax Level 3, section 4 that mail needs. Comments and
/// the marks of HTML comments vanish, but end the token before them.
/// Threads: one.
/// Cost: linear; tokens are views into the input.
class CssTokenizer {
 public:
  explicit CssTokenizer(std::string_view css) : css_(css) {}

  CssToken next();

  /// Skips the value of a declaration up to and including its `;` or `}`, with balanced brackets;
  /// whether a `;` ended it.
  bool skip_value();

 private:
  void skip_comments();
  std::string_view read_name();
  CssToken read_number();

  std::string_view css_;
  std::size_t at_ = 0;
};

/// Reads to the end of a block, with balanced braces. `depth`: how many of its braces are open.
void skip_block(CssTokenizer& css, std::size_t depth = 1);

/// `css` without backslash escapes.
std::string unescape_css(std::string_view css);

}  // namespace shingled::mime
