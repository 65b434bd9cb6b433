#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"

namespace shingled::mime {

/// The attributes that matter for text, visibility and structure; others are skipped.
enum class AttributeName : std::uint8_t {
  kAction,
  kAlt,
  kBackground,
  kBgcolor,
  kClass,
  kColor,
  kHeight,
  kHidden,
  kHref,
  kId,
  kSize,
  kSrc,
  kStyle,
  kText,
  kWidth,
};

struct Attribute {
  AttributeName name;
  bool lower_first = false;  ///< 3.4 lowers the first letter of an unquoted value
  std::string_view raw;      ///< as written, in the document
  bool repeated = false;     ///< an earlier one of this name was dropped

  /// The value of the first `bytes_max` bytes, with entities decoded.
  [[nodiscard]] std::string value(std::size_t bytes_max = std::string_view::npos) const;
  /// The same as a browser decodes them.
  [[nodiscard]] std::string browser_value(std::size_t bytes_max) const;
};

std::string_view attribute_name(AttributeName name);  ///< lower case

enum class HtmlTokenKind : std::uint8_t {
  kOpen,    ///< <name ...>
  kClose,   ///< </name ...>
  kMarkup,  ///< comment, declaration or processing instruction
};

/// A piece of markup. The text is between the tokens.
struct HtmlToken {
  HtmlTokenKind kind = HtmlTokenKind::kMarkup;
  std::size_t start = 0;      ///< of the `<`
  std::size_t end = 0;        ///< after the `>`
  std::string_view raw_name;  ///< as written, in the document
  std::string name;           ///< lower case, cut if longer than any name in HTML
  std::vector<Attribute> attributes;
  bool self_closed = false;
  bool broken = false;  ///< rspamd steps over the markup, but prints its text
};

/// Cuts HTML into markup tokens (HASHING.md 7.1).
/// Threads: one.
/// Cost:    linear; reuses the strings of the token, which has views of the document.
class HtmlTokenizer {
 public:
  HtmlTokenizer(std::string_view html, Compat compat);

  /// The next token; false at the end of the input.
  bool next(HtmlToken& token);

  /// After the end: whether the input ended inside markup, which then is not text.
  [[nodiscard]] bool ended_inside_markup() const { return ended_inside_; }

 private:
  bool read_tag(HtmlToken& token);
  bool read_markup(HtmlToken& token);
  bool read_comment(HtmlToken& token);
  bool read_bracketed(HtmlToken& token);
  bool read_instruction(HtmlToken& token);
  bool read_attributes(HtmlToken& token);
  void read_attribute(HtmlToken& token, bool& slash_closes);
  std::string_view read_value(bool& quoted);
  void store(HtmlToken& token, std::string_view name, std::string_view raw, bool quoted);
  [[nodiscard]] std::size_t raw_text_end(std::size_t from) const;
  bool finish_at(HtmlToken& token, std::size_t end);
  bool fail();

  std::string_view html_;
  Compat compat_;
  std::size_t at_ = 0;
  std::size_t last_quote_[2] = {0, 0};  ///< after the last `"` and the last `'`
  bool stored_ = true;                  ///< false for attributes after a closing slash
  bool raw_text_ = false;               ///< inside script, style, noscript
  bool ended_inside_ = false;
};

}  // namespace shingled::mime
