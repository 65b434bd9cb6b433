#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mime/html/css_tokenizer.h"
#include "mime/html/html_tree.h"

namespace shingled::mime {

/// A condition on an attribute: `[name]`, `[name=value]`, and `~= |= ^= $= *=`.
struct AttributeTest {
  std::string name;   ///< lower case
  char relation = 0;  ///< of the two characters the first, '=' alone, or 0 without a value
  std::string value;
};

/// What one element must be: `td.note#x[width]:first-child`. Names are lower case.
struct CompoundSelector {
  enum class Combinator : std::uint8_t { kNone, kDescendant, kChild, kNext, kLater };

  std::string tag;  ///< empty for any
  std::string id;
  std::vector<std::string> classes;
  std::vector<AttributeTest> attributes;
  std::vector<CompoundSelector> excluded;  ///< of `:not()`
  bool root = false;
  bool first_child = false;
  bool last_child = false;
  bool link = false;                          ///< an `a` with an address
  Combinator combinator = Combinator::kNone;  ///< to the compound on its left
};

/// A chain of compounds.
struct Selector {
  std::vector<CompoundSelector> compounds;  ///< the rightmost first: it is the element itself
  std::uint32_t specificity = 0;            ///< greater wins; CSS Selectors Level 4, section 17
};

/// Reads the list of selectors before a `{`, which it takes, too. What we do not know, as
/// `:hover` or `::before`, is left out: it hides nothing that stands in a mail.
///
/// Bounds:  8 compounds a selector, `count_max` selectors.
/// Threads: stateless.
/// Cost:    linear.
std::vector<Selector> read_selectors(CssTokenizer& css, CssToken first, std::size_t count_max);

/// The elements of a document as selectors ask about them.
/// Threads: immutable, any thread.
class SelectorMatcher {
 public:
  /// `tree` and `html`, whose tree it is, must outlive it.
  SelectorMatcher(const HtmlTree& tree, std::string_view html);

  /// Whether the selector means the element. Once `steps_left` is used up, it means none.
  /// Cost: the ancestors and siblings that are looked at, each a step or more.
  [[nodiscard]] bool matches(const Selector& selector, ElementIndex element,
                             Steps& steps_left) const;

  /// Lower case.
  [[nodiscard]] const std::string& id_of(ElementIndex element) const { return names_[element].id; }
  [[nodiscard]] const std::vector<std::string>& classes_of(ElementIndex element) const {
    return names_[element].classes;
  }

 private:
  struct Names {
    std::string id;
    std::vector<std::string> classes;
  };

  [[nodiscard]] bool chain_matches(const Selector& selector, std::size_t at, ElementIndex element,
                                   Steps& steps_left) const;
  [[nodiscard]] bool compound_matches(const CompoundSelector& compound, ElementIndex element,
                                      Steps& steps_left) const;
  [[nodiscard]] bool has_name(const Element& element, std::string_view name) const;
  [[nodiscard]] bool attribute_matches(const AttributeTest& test, const Element& element,
                                       Steps& steps_left) const;

  const HtmlTree& tree_;
  std::string_view html_;
  std::vector<Names> names_;
  std::vector<ElementIndex> before_;  ///< the element before each one below the same parent
  std::vector<bool> is_last_;         ///< below its parent
};

}  // namespace shingled::mime
