#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "mime/html/html_to_text.h"
#include "mime/html/html_tree.h"

namespace shingled::mime {

/// What an element says of other people's text.
enum class QuoteRole : std::uint8_t {
  kNone,
  kQuote,   ///< it holds what is quoted: blockquote, and what mail programs use in its place
  kSource,  ///< it says whose words follow: "On Monday at 9:30 A wrote:"
  kRest     ///< like kSource, and all that follows it is quoted
};

/// The role of each element of `tree`, whose document is `html`, by index: of those that Gmail,
/// Outlook, Apple Mail, Thunderbird, Yahoo, Proton, Roundcube and others write around or above what
/// they quote. Quotes that only their text shows are found by find_quotes().
///
/// A blockquote with "border:none" is a quote only if it says "type=cite": some programs indent so.
/// Threads: stateless.
/// Cost:    linear in the tree and its attributes.
std::vector<QuoteRole> quote_roles(const HtmlTree& tree, std::string_view html);

/// Notes what the elements of a document quote, while its text is printed.
/// Threads: one.
class QuoteMarks {
 public:
  /// `roles`: of the elements, by index; must outlive it.
  explicit QuoteMarks(const std::vector<QuoteRole>& roles)
      : roles_(roles), places_(roles.size()), quoted_(roles.size()) {}

  /// An element begins where the text has `place` bytes. One whose content is not printed is not
  /// left.
  void enter(ElementIndex element, std::size_t place, bool is_left);
  /// It ends after `text`, which begins at `begin`.
  void leave(ElementIndex element, std::size_t begin, std::string_view text);
  /// What follows at `begin` of the hidden text would be at `place`.
  void hide(std::size_t begin, std::size_t place);
  /// The same of a title, before all elements and in document order. It may be that of a page that
  /// is quoted, but in the tree it belongs to the head: only its place in the document tells.
  void hide_title(const HtmlTree& tree, ElementIndex title, std::size_t begin);

  /// `bytes`: of the whole text. The object is empty afterwards.
  HtmlQuotes take(const HtmlTree& tree, std::size_t bytes);

 private:
  /// Puts titles where the elements before them in the document are.
  void place_titles();
  [[nodiscard]] bool is_quoted() const { return depth_ > 0 || rest_.has_value(); }

  const std::vector<QuoteRole>& roles_;
  std::vector<std::size_t> places_;  ///< by element
  std::vector<bool> quoted_;
  std::vector<ElementIndex> titles_;  ///< those of the first hidden runs
  ElementIndex read_ = 0;             ///< elements before the last title
  std::size_t quoted_to_ = 0;         ///< in the document: where the quotes among them end
  std::size_t depth_ = 0;             ///< open elements that quote
  std::optional<std::size_t> rest_;   ///< where the rest of the text begins that is quoted
  HtmlQuotes quotes_;
};

}  // namespace shingled::mime
