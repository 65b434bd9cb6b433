#include "mime/html/style_sheet.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"

namespace shingled::mime {
namespace {

/// An @ rule ends with its block. It ends with a semicolon only if it has a string or a function,
/// like `@import url(x);`: in rspamd `@layer x;` swallows the next rule.
void skip_at_rule(CssTokenizer& css) {
  bool has_argument = false;
  for (CssToken token = css.next(); token.kind != CssTokenKind::kEnd; token = css.next()) {
    if (token.kind == CssTokenKind::kFunction || token.kind == CssTokenKind::kString) {
      has_argument = true;
    }
    if (token.is(';') && has_argument) return;
    if (token.is('{')) return skip_block(css);
  }
}

/// Collects the simple selectors of a list. A selector counts if it is alone before its comma; one
/// with more text counts only if a comma follows.
class SelectorList {
 public:
  explicit SelectorList(std::size_t count_max) : count_max_(count_max) {}

  void add(const CssToken& token) {
    // rspamd drops the whole rule if it has brackets, as in "a[href]".
    if (token.is('[') || token.is('(') || token.kind == CssTokenKind::kFunction) broken_ = true;
    if (token.is(',')) return end_selector();
    if (token.kind == CssTokenKind::kSpace) {
      if (state_ == State::kDot) state_ = State::kExtra;
      return;
    }
    const bool ident = token.kind == CssTokenKind::kIdent;
    if (state_ == State::kStart && token.is('.')) {
      state_ = State::kDot;
    } else if (state_ == State::kStart && (ident || token.is('*'))) {
      select({}, token.text);
    } else if (state_ == State::kStart && token.kind == CssTokenKind::kHash) {
      select("#", token.text);
    } else if (state_ == State::kDot && ident) {
      select(".", token.text);
    } else {
      state_ = State::kExtra;
    }
  }

  /// The selectors, once the `{` is reached. The object is empty afterwards.
  std::vector<std::string> finish() {
    if (state_ == State::kSelected) end_selector();
    if (broken_) selectors_.clear();
    std::vector<std::string> done;
    done.swap(selectors_);
    clear();
    return done;
  }

  void clear() {
    state_ = State::kStart;
    broken_ = false;
    selected_ = false;
    selectors_.clear();
  }

 private:
  enum class State : std::uint8_t { kStart, kDot, kSelected, kExtra };

  void select(std::string_view mark, std::string_view name) {
    selected_ = true;
    state_ = State::kSelected;
    mark_ = mark;
    name_ = name;
  }

  void end_selector() {
    // A comma without a selector before it spoils the next selector, too.
    const bool missing = !std::exchange(selected_, false);
    if (!missing) keep();
    state_ = missing ? State::kExtra : State::kStart;
  }

  void keep() {
    if (selectors_.size() >= count_max_ || name_.size() > StyleSheet::kSelectorBytesMax) return;
    std::string& selector = selectors_.emplace_back(mark_);
    for (const char c : name_) selector += ascii::to_lower(c);
  }

  State state_ = State::kStart;
  bool broken_ = false;
  bool selected_ = false;  ///< `mark_` and `name_` are a selector
  std::string_view mark_;
  std::string_view name_;
  std::size_t count_max_;
  std::vector<std::string> selectors_;
};

}  // namespace

void StyleSheet::add(std::string_view css) {
  const bool escaped = css.find('\\') != std::string_view::npos;
  const std::string plain = escaped ? unescape_css(css) : std::string();
  CssTokenizer tokens(escaped ? std::string_view(plain) : css);
  SelectorList list(rules_max_);
  for (CssToken token = tokens.next(); token.kind != CssTokenKind::kEnd; token = tokens.next()) {
    if (token.is('}')) return;
    if (token.is('@')) {
      skip_at_rule(tokens);
      list.clear();
    } else if (token.is('{')) {
      add_rule(list.finish(), parse_rule_body(tokens, compat_));
    } else {
      list.add(token);
    }
  }
}

void StyleSheet::add_rule(const std::vector<std::string>& selectors, const StyleValues& style) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t shared = kNone;
  for (const std::string& selector : selectors) {
    if (const auto rule = rules_.find(selector); rule != rules_.end()) {
      blocks_[rule->second].merge(style, compat_);
      continue;
    }
    if (rules_.size() >= rules_max_) return;
    if (shared == kNone) {
      shared = blocks_.size();
      blocks_.push_back(style);
    }
    rules_.emplace(selector, shared);
  }
}

void StyleSheet::apply(StyleValues& style, bool& found, std::string_view selector) const {
  const auto rule = rules_.find(selector);
  if (rule == rules_.end()) return;
  const StyleValues& block = blocks_[rule->second];
  if (!found) {
    style = block;
    found = true;
    return;
  }
  // Later selectors fill in missing values, but in 3.4 never the display.
  if (!style.color) style.color = block.color;
  if (!style.background) style.background = block.background;
  if (!style.font_size) style.font_size = block.font_size;
  if (!style.opacity) style.opacity = block.opacity;
  style.box.fill_from(block.box);
  if (!style.display && compat_ == Compat::kRspamd4) style.display = block.display;
}

StyleValues StyleSheet::find(std::string_view tag, std::string_view css_class,
                             std::string_view id) const {
  StyleValues style;
  bool found = false;
  std::string selector;
  const auto apply_named = [&](char mark, std::string_view name) {
    if (name.empty() || name.size() > kSelectorBytesMax) return;
    selector = mark;
    selector += name;
    apply(style, found, selector);
  };
  apply_named('#', id);
  while (!css_class.empty()) {
    const std::string_view word = css_class.substr(0, css_class.find(' '));
    apply_named('.', word);
    css_class.remove_prefix(std::min(word.size() + 1, css_class.size()));
  }
  if (!tag.empty()) apply(style, found, tag);
  apply(style, found, "*");
  return style;
}

}  // namespace shingled::mime
