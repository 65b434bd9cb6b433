#include "mime/html/css_selector.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "config/base/ascii.h"

namespace shingled::mime {
namespace {

using Combinator = CompoundSelector::Combinator;

constexpr std::size_t kCompoundsMax = 8;
constexpr std::size_t kNameBytesMax = 256;
constexpr std::size_t kClassBytesMax = 4096;
constexpr std::size_t kClassesMax = 64;
constexpr std::uint32_t kIdWeight = 1U << 20U;
constexpr std::uint32_t kClassWeight = 1U << 10U;

std::string lower_name(std::string_view name) {
  return ascii::to_lower(name.substr(0, kNameBytesMax));
}

/// Reads one list, compound by compound.
class SelectorReader {
 public:
  SelectorReader(CssTokenizer& css, CssToken token, std::size_t count_max)
      : css_(css), token_(token), count_max_(count_max) {}

  std::vector<Selector> read() {
    for (; token_.kind != CssTokenKind::kEnd && !token_.is('{'); step()) {
      if (token_.is(','))
        end_selector();
      else
        read_token();
    }
    end_selector();
    if (broken_) selectors_.clear();  // one that is missing spoils the list
    return std::move(selectors_);
  }

 private:
  void step() {
    if (!again_) token_ = css_.next();
    again_ = false;
  }

  void read_token() {
    if (token_.kind == CssTokenKind::kSpace) return join(Combinator::kDescendant);
    if (token_.is('>')) return join(Combinator::kChild);
    if (token_.is('+')) return join(Combinator::kNext);
    if (token_.is('~')) return join(Combinator::kLater);
    begin_compound();
    if (token_.kind == CssTokenKind::kIdent) {
      now_.tag = lower_name(token_.text);
      ++weight_;
    } else if (token_.kind == CssTokenKind::kHash) {
      now_.id = lower_name(token_.text);
      weight_ += kIdWeight;
    } else if (token_.is('.')) {
      read_class(now_.classes);
    } else if (token_.is('[')) {
      read_attribute();
    } else if (token_.is(':')) {
      read_pseudo();
    } else if (!token_.is('*')) {
      unknown_ = true;
    }
  }

  /// A space beside another combinator says nothing.
  void join(Combinator combinator) {
    if (combinator == Combinator::kDescendant && (!has_compound_ || joint_ != Combinator::kNone))
      return;
    joint_ = combinator;
  }

  void begin_compound() {
    if (joint_ != Combinator::kNone) {
      if (!has_compound_ || chain_.size() >= kCompoundsMax) unknown_ = true;
      if (!unknown_) chain_.push_back(std::move(now_));
      now_ = {};
      now_.combinator = std::exchange(joint_, Combinator::kNone);
    }
    has_compound_ = true;
  }

  void read_class(std::vector<std::string>& classes) {
    std::string dashes;
    CssToken name = css_.next();
    for (; name.is('-') && dashes.size() < kNameBytesMax; name = css_.next()) dashes += '-';
    if (name.kind != CssTokenKind::kIdent || classes.size() >= kClassesMax) {
      unknown_ = true;
      repeat(name);
      return;
    }
    classes.push_back(dashes + lower_name(name.text));
    weight_ += kClassWeight;
  }

  /// What was read ahead may end the selector.
  void repeat(CssToken token) {
    token_ = token;
    again_ = true;
  }

  void read_attribute() {
    AttributeTest test;
    bool has_value = false;
    CssToken token = css_.next();
    for (; token.kind != CssTokenKind::kEnd && !token.is(']') && !token.is('{');
         token = css_.next()) {
      if (token.kind == CssTokenKind::kSpace) continue;
      if (token.kind == CssTokenKind::kDelim) {
        if (test.relation == 0) test.relation = token.text.front();
      } else if (test.relation == 0) {
        test.name = lower_name(token.text);
      } else if (!has_value) {
        test.value = lower_name(token.text);
        has_value = true;
      }
    }
    const bool known = test.relation == 0 ||
                       std::string_view("=~|^$*").find(test.relation) != std::string_view::npos;
    unknown_ = unknown_ || test.name.empty() || !known || (test.relation != 0 && !has_value);
    now_.attributes.push_back(std::move(test));
    weight_ += kClassWeight;
    if (!token.is(']')) repeat(token);
  }

  void read_pseudo() {
    const CssToken name = css_.next();
    const std::string word = lower_name(name.text);
    weight_ += kClassWeight;
    if (name.kind == CssTokenKind::kIdent && word == "first-child") {
      now_.first_child = true;
    } else if (name.kind == CssTokenKind::kIdent && word == "last-child") {
      now_.last_child = true;
    } else if (name.kind == CssTokenKind::kIdent && (word == "link" || word == "any-link")) {
      now_.link = true;
    } else if (name.kind == CssTokenKind::kIdent && word == "root") {
      now_.root = true;
    } else if (name.kind == CssTokenKind::kFunction && (word == "not" || word == "is")) {
      read_nested(word == "not");
    } else {
      unknown_ = true;
      if (name.kind != CssTokenKind::kIdent && name.kind != CssTokenKind::kFunction) repeat(name);
    }
  }

  /// One name, class or id in parentheses; what is longer stays unknown.
  void read_nested(bool excluded) {
    weight_ -= kClassWeight;  // only what is inside counts
    CompoundSelector inner;
    CssToken token = css_.next();
    while (token.kind == CssTokenKind::kSpace) token = css_.next();
    if (token.kind == CssTokenKind::kIdent) {
      inner.tag = lower_name(token.text);
      ++weight_;
    } else if (token.kind == CssTokenKind::kHash) {
      inner.id = lower_name(token.text);
      weight_ += kIdWeight;
    } else if (token.is('.')) {
      read_class(inner.classes);
    } else {
      unknown_ = true;
    }
    if (again_) return;
    token = css_.next();
    while (token.kind == CssTokenKind::kSpace) token = css_.next();
    if (!token.is(')')) unknown_ = true;
    if (token.is('{')) repeat(token);
    if (excluded) {
      now_.excluded.push_back(std::move(inner));
      return;
    }
    if (!inner.tag.empty()) now_.tag = inner.tag;
    if (!inner.id.empty()) now_.id = inner.id;
    std::ranges::move(inner.classes, std::back_inserter(now_.classes));
  }

  void end_selector() {
    broken_ = broken_ || !has_compound_;
    const bool complete = has_compound_ && !unknown_ && joint_is_done();
    if (complete && selectors_.size() < count_max_) {
      chain_.push_back(std::move(now_));
      // Each compound knows how it is joined to the one on its left.
      std::ranges::reverse(chain_);
      selectors_.push_back({std::move(chain_), weight_});
    }
    chain_.clear();
    now_ = {};
    joint_ = Combinator::kNone;
    weight_ = 0;
    has_compound_ = false;
    unknown_ = false;
  }

  [[nodiscard]] bool joint_is_done() const {
    return joint_ == Combinator::kNone || joint_ == Combinator::kDescendant;
  }

  CssTokenizer& css_;
  CssToken token_;
  std::size_t count_max_;
  std::vector<Selector> selectors_;
  std::vector<CompoundSelector> chain_;  ///< the leftmost first
  CompoundSelector now_;
  Combinator joint_ = Combinator::kNone;
  std::uint32_t weight_ = 0;
  bool has_compound_ = false;
  bool unknown_ = false;
  bool broken_ = false;
  bool again_ = false;  ///< `token_` is the next one
};

bool has_word(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const auto end = static_cast<std::size_t>(
        std::find_if(text.begin(), text.end(), ascii::is_space) - text.begin());
    if (text.substr(0, end) == word) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool value_matches(const AttributeTest& test, std::string_view value) {
  switch (test.relation) {
    case 0:
      return true;
    case '=':
      return value == test.value;
    case '~':
      return has_word(value, test.value);
    case '|':
      return value == test.value ||
             (value.starts_with(test.value) && value.substr(test.value.size()).starts_with('-'));
    case '^':
      return !test.value.empty() && value.starts_with(test.value);
    case '$':
      return !test.value.empty() && value.ends_with(test.value);
    default:
      return !test.value.empty() && value.find(test.value) != std::string_view::npos;
  }
}

}  // namespace

std::vector<Selector> read_selectors(CssTokenizer& css, CssToken first, std::size_t count_max) {
  return SelectorReader(css, first, count_max).read();
}

SelectorMatcher::SelectorMatcher(const HtmlTree& tree, std::string_view html)
    : tree_(tree),
      html_(html),
      names_(tree.elements.size()),
      before_(tree.elements.size(), kNoElement),
      is_last_(tree.elements.size()) {
  std::vector<ElementIndex> last_of(tree.elements.size(), kNoElement);
  for (ElementIndex i = 0; i < tree.elements.size(); ++i) {
    const Element& element = tree.elements[i];
    if (element.role != ElementRole::kElement) continue;
    if (element.parent != kNoElement) before_[i] = std::exchange(last_of[element.parent], i);
    if (const auto id = browser_attribute(tree, html, element, AttributeName::kId, kNameBytesMax))
      names_[i].id = ascii::to_lower(*id);
    if (const auto said =
            browser_attribute(tree, html, element, AttributeName::kClass, kClassBytesMax)) {
      const std::string words = ascii::to_lower(*said);
      std::string_view rest = words;
      while (!rest.empty() && names_[i].classes.size() < kClassesMax) {
        const auto end = static_cast<std::size_t>(
            std::find_if(rest.begin(), rest.end(), ascii::is_space) - rest.begin());
        if (end > 0) names_[i].classes.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }
  for (const ElementIndex last : last_of)
    if (last != kNoElement) is_last_[last] = true;
}

bool SelectorMatcher::matches(const Selector& selector, ElementIndex element,
                              Steps& steps_left) const {
  return !selector.compounds.empty() && chain_matches(selector, 0, element, steps_left);
}

bool SelectorMatcher::chain_matches(const Selector& selector, std::size_t at, ElementIndex element,
                                    Steps& steps_left) const {
  if (steps_left == 0) return false;
  --steps_left;
  const CompoundSelector& compound = selector.compounds[at];
  if (!compound_matches(compound, element, steps_left)) return false;
  if (at + 1 == selector.compounds.size()) return true;
  const bool sideways =
      compound.combinator == Combinator::kNext || compound.combinator == Combinator::kLater;
  const bool once =
      compound.combinator == Combinator::kNext || compound.combinator == Combinator::kChild;
  const auto next = [&](ElementIndex from) {
    return sideways ? before_[from] : tree_.elements[from].parent;
  };
  for (ElementIndex other = next(element); other != kNoElement; other = next(other)) {
    if (chain_matches(selector, at + 1, other, steps_left)) return true;
    if (once || steps_left == 0) return false;
  }
  return false;
}

bool SelectorMatcher::compound_matches(const CompoundSelector& compound, ElementIndex element,
                                       Steps& steps_left) const {
  const Element& node = tree_.elements[element];
  if (node.role != ElementRole::kElement) return false;
  if (compound.root && element != tree_.root) return false;
  if (!compound.tag.empty() && !has_name(node, compound.tag)) return false;
  if (!compound.id.empty() && names_[element].id != compound.id) return false;
  const std::vector<std::string>& classes = names_[element].classes;
  const auto has_class = [&](const std::string& name) {
    return std::ranges::find(classes, name) != classes.end();
  };
  if (!std::ranges::all_of(compound.classes, has_class)) return false;
  const auto is_excluded = [&](const CompoundSelector& inner) {
    return compound_matches(inner, element, steps_left);
  };
  if (std::ranges::any_of(compound.excluded, is_excluded)) return false;
  if (compound.first_child && before_[element] != kNoElement) return false;
  if (compound.last_child && !is_last_[element]) return false;
  if (compound.link && tree_.attribute(node, AttributeName::kHref) == nullptr) return false;
  return std::ranges::all_of(compound.attributes, [&](const AttributeTest& test) {
    return attribute_matches(test, node, steps_left);
  });
}

/// The tree does not keep names that HTML does not have.
bool SelectorMatcher::has_name(const Element& element, std::string_view name) const {
  if (element.info != nullptr) return element.info->name == name;
  const std::string_view written = written_name(html_, element);
  return written.size() == name.size() && ascii::equal_ignoring_case(written, name);
}

bool SelectorMatcher::attribute_matches(const AttributeTest& test, const Element& element,
                                        Steps& steps_left) const {
  if (element.content <= element.tag_start) return false;
  steps_left -= std::min<Steps>(steps_left, element.content - element.tag_start);
  const auto value = written_attribute(html_, element, test.name);
  return value && value_matches(test, lower_name(*value));
}

}  // namespace shingled::mime
