#include "mime/html/html_tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/ascii.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kClosingTagsFactor = 8;
constexpr Steps kStepsAToken = 250;  ///< from tag to printed text

struct LessIgnoringCase {
  bool operator()(std::string_view a, std::string_view b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
      return ascii::to_lower(x) < ascii::to_lower(y);
    });
  }
};

class TreeBuilder {
 public:
  TreeBuilder(std::string_view html, std::uint32_t elements_max, Compat compat, WorkMeter& meter)
      : html_(html), elements_max_(elements_max), compat_(compat), meter_(meter) {}

  HtmlTree build() {
    if (html_.empty()) return std::move(tree_);
    if (html_.front() != '<') {
      add_implicit_root();
      tree_.starts_as_text = true;
      place_ = Place::kBody;
    }
    HtmlTokenizer tokenizer(html_, compat_);
    HtmlToken token;
    while (tokenizer.next(token)) {
      if (!meter_.spend(kStepsAToken)) return std::move(tree_);
      // rspamd does not count closing tags. We do, as each may need a place in the tree.
      const bool closes = token.kind == HtmlTokenKind::kClose;
      const std::size_t elements_max = closes ? kClosingTagsFactor * elements_max_ : elements_max_;
      if (tree_.elements.size() > elements_max) {
        tree_.overflow_at = token.start + 1;  // as in rspamd, the "<" is lost
        return std::move(tree_);
      }
      if (closes) close(token);
      if (token.kind == HtmlTokenKind::kOpen) open(token);
      if (token.kind == HtmlTokenKind::kMarkup) {
        if (place_ == Place::kStart) place_ = Place::kBody;
        add_placeholder(token, ElementRole::kComment, nullptr);
      }
    }
    if (!tokenizer.ended_inside_markup()) close_at_end();
    return std::move(tree_);
  }

 private:
  [[nodiscard]] Element& at(ElementIndex index) { return tree_.elements[index]; }

  /// Unknown names get the numbers after those of HTML.
  NameId name_id(std::string_view name, const ElementInfo* info) {
    if (info != nullptr) return info->number;
    const auto [entry, added] =
        unknown_names_.try_emplace(name, static_cast<NameId>(open_of_name_.size()));
    if (added) open_of_name_.push_back(0);
    return entry->second;
  }

  /// The number of a name, if an element of that name is open.
  std::optional<NameId> open_name(std::string_view name, const ElementInfo* info) const {
    NameId number = 0;
    if (info != nullptr) {
      number = info->number;
    } else {
      const auto known = unknown_names_.find(name);
      if (known == unknown_names_.end()) return std::nullopt;
      number = known->second;
    }
    return open_of_name_[number] > 0 ? std::optional(number) : std::nullopt;
  }

  void add_implicit_root() {
    Element html;
    html.info = find_element("html", compat_);
    html.name = name_id("html", html.info);
    html.implicit = true;
    tree_.root = 0;
    tree_.elements.push_back(html);
    push_open(0);
  }

  void push_open(ElementIndex index) {
    open_.push_back(index);
    ++open_of_name_[at(index).name];
  }

  void close_innermost(std::size_t start, std::size_t end) {
    Element& element = at(open_.back());
    element.close_start = std::max(start, element.content);
    element.close_end = end;
    --open_of_name_[element.name];
    open_.pop_back();
  }

  /// The parent of new elements: the innermost open element, else the root.
  ElementIndex current() {
    if (!open_.empty()) return open_.back();
    if (tree_.root == kNoElement) add_implicit_root();
    return tree_.root;
  }

  ElementIndex append_child(Element element) {
    const ElementIndex parent = current();
    const auto index = static_cast<ElementIndex>(tree_.elements.size());
    element.parent = parent;
    tree_.elements.push_back(element);
    Element& above = at(parent);
    (above.last_child == kNoElement ? above.first_child : at(above.last_child).next_sibling) =
        index;
    above.last_child = index;
    return index;
  }

  static Element make_element(const HtmlToken& token) {
    Element element;
    element.tag_start = token.start;
    element.content = token.broken ? 0 : token.end;
    element.close_start = element.content;
    element.close_end = element.content;
    return element;
  }

  void add_placeholder(const HtmlToken& token, ElementRole role, const ElementInfo* info) {
    Element element = make_element(token);
    element.role = role;
    element.info = info;
    append_child(element);
  }

  void open(const HtmlToken& token) {
    Element element = make_element(token);
    element.info = find_element(token.name, compat_);
    element.name = name_id(token.raw_name, element.info);
    element.attributes_begin = static_cast<std::uint32_t>(tree_.attributes.size());
    tree_.attributes.insert(tree_.attributes.end(), token.attributes.begin(),
                            token.attributes.end());
    element.attributes_end = static_cast<std::uint32_t>(tree_.attributes.size());
    follow_head(element, token);
    element.in_head = place_ == Place::kHead;

    ElementIndex index = 0;
    if (tree_.root == kNoElement && element.is("html")) {
      index = tree_.root = static_cast<ElementIndex>(tree_.elements.size());
      tree_.elements.push_back(element);
    } else {
      index = append_child(element);
    }
    const bool empty = element.info != nullptr && element.info->empty;
    if (!empty && !token.self_closed) push_open(index);
  }

  /// The head ends at the first element that does not belong there.
  void follow_head(Element& element, const HtmlToken& token) {
    const bool head_class = element.info != nullptr && element.info->head;
    element.unprinted = head_class || (place_ == Place::kStart && element.is("head"));
    if (place_ == Place::kStart) {
      if (element.is("head") || head_class) {
        place_ = Place::kHead;
        element.opens_head = true;
      } else if (!element.is("html")) {
        place_ = Place::kBody;
      }
      return;
    }
    const bool empty = element.info != nullptr && element.info->empty;
    if (place_ != Place::kHead || empty || head_class) return;
    if (open_.empty()) {
      place_ = Place::kBody;
      return;
    }
    const Element& above = at(open_.back());
    const bool in_head_class = above.info != nullptr && above.info->head;
    if (!in_head_class) close_innermost(token.start, token.end);
    if (!in_head_class || element.is("body")) place_ = Place::kBody;
  }

  void close(const HtmlToken& token) {
    const ElementInfo* info = find_element(token.name, compat_);
    if (info != nullptr && info->empty) {
      return add_placeholder(token, ElementRole::kComment, nullptr);
    }
    const std::optional<NameId> name = open_name(token.raw_name, info);
    if (!name) {
      return add_placeholder(token, ElementRole::kClosingTag, info);
    }
    if (at(open_.back()).name == *name) {
      at(open_.back()).closed_by_tag = true;
      close_innermost(token.start, token.end);
      // Nothing is printed after the root, but text between its children is, late ones included.
      if (open_.empty()) add_placeholder(token, ElementRole::kComment, nullptr);
      return;
    }
    // 3.4 closes further after the match, up to the root.
    bool matched = false;
    while (!open_.empty() && !(matched && compat_ == Compat::kRspamd4)) {
      matched = at(open_.back()).name == *name;
      close_innermost(token.start, token.end);
    }
  }

  void close_at_end() {
    while (!open_.empty()) close_innermost(html_.size(), html_.size());
  }

  enum class Place : std::uint8_t { kStart, kHead, kBody };

  std::string_view html_;
  std::uint32_t elements_max_;
  Compat compat_;
  WorkMeter& meter_;
  HtmlTree tree_;
  std::vector<ElementIndex> open_;                                      ///< outermost first
  std::map<std::string_view, NameId, LessIgnoringCase> unknown_names_;  ///< in the document
  /// How often each name is in `open_`.
  std::vector<std::uint32_t> open_of_name_ = std::vector<std::uint32_t>(kElementsMax);
  Place place_ = Place::kStart;
};

}  // namespace

const Attribute* HtmlTree::attribute(const Element& element, AttributeName name) const {
  for (std::uint32_t i = element.attributes_begin; i < element.attributes_end; ++i) {
    if (attributes[i].name == name) return &attributes[i];
  }
  return nullptr;
}

std::string_view written_name(std::string_view html, const Element& element) {
  const std::string_view name = html.substr(std::min(element.tag_start + 1, html.size()));
  return name.substr(0, name.find_first_of(" \t\n\f\r/>"));
}

std::optional<std::string_view> written_attribute(std::string_view html, const Element& element,
                                                  std::string_view name) {
  if (element.content <= element.tag_start) return std::nullopt;
  const std::string_view tag = html.substr(element.tag_start, element.content - element.tag_start);
  std::size_t at = 1;
  const auto is_end = [&] { return at >= tag.size() || tag[at] == '>'; };
  while (!is_end() && tag[at] != '/' && !ascii::is_space(tag[at])) ++at;
  while (!is_end()) {
    while (!is_end() && (ascii::is_space(tag[at]) || tag[at] == '/')) ++at;
    const std::size_t begin = at;
    while (!is_end() && tag[at] != '=' && tag[at] != '/' && !ascii::is_space(tag[at])) ++at;
    const std::string_view found = tag.substr(begin, at - begin);
    while (!is_end() && ascii::is_space(tag[at])) ++at;
    std::string_view value;
    if (!is_end() && tag[at] == '=') {
      ++at;
      while (!is_end() && ascii::is_space(tag[at])) ++at;
      if (is_end()) return std::nullopt;
      const char quote = tag[at];
      if (quote == '"' || quote == '\'') {
        const std::size_t end = std::min(tag.find(quote, at + 1), tag.size());
        value = tag.substr(at + 1, end - at - 1);
        at = std::min(end + 1, tag.size());
      } else {
        const std::size_t start = at;
        while (!is_end() && !ascii::is_space(tag[at])) ++at;
        value = tag.substr(start, at - start);
      }
    }
    if (found.size() == name.size() && ascii::equal_ignoring_case(found, name)) return value;
  }
  return std::nullopt;
}

std::optional<std::string> browser_attribute(const HtmlTree& tree, std::string_view html,
                                             const Element& element, AttributeName name,
                                             std::size_t bytes_max) {
  const Attribute* known = tree.attribute(element, name);
  if (known == nullptr) return std::nullopt;
  if (!known->repeated) return known->browser_value(bytes_max);
  Attribute first = *known;
  first.raw = written_attribute(html, element, attribute_name(name)).value_or(known->raw);
  return first.browser_value(bytes_max);
}

HtmlTree build_html_tree(std::string_view html, std::uint32_t elements_max, Compat compat,
                         WorkMeter& meter) {
  return TreeBuilder(html, elements_max, compat, meter).build();
}

}  // namespace shingled::mime
