#include "mime/html/shown_sheet.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"

namespace shingled::mime {
namespace {

constexpr double kScreenPixels = 1000;
constexpr std::size_t kNestedRulesMax = 8;

/// One condition of a media query, in its parentheses.
bool read_feature(CssTokenizer& css) {
  std::string name;
  std::string word;
  double pixels = -1;
  std::size_t depth = 1;
  for (CssToken token = css.next(); token.kind != CssTokenKind::kEnd; token = css.next()) {
    if (token.kind == CssTokenKind::kFunction || token.is('(')) ++depth;
    if (token.is(')') && --depth == 0) break;
    if (token.kind == CssTokenKind::kIdent)
      (name.empty() ? name : word) = ascii::to_lower(token.text);
    if (token.kind == CssTokenKind::kNumber) pixels = to_font_size(token).value;
  }
  if (name == "min-width" || name == "min-device-width")
    return pixels >= 0 && pixels <= kScreenPixels;
  if (name == "max-width" || name == "max-device-width") return pixels >= kScreenPixels;
  if (name == "prefers-color-scheme") return word == "light";
  return name == "orientation" && word == "landscape";
}

/// Reads a list of media queries up to its `{`; whether one of them is true of a screen. False if
/// it ends otherwise, and then there is no block.
bool read_media(CssTokenizer& css, bool& has_block) {
  bool any = false;
  bool all = true;
  bool negated = false;
  for (CssToken token = css.next();; token = css.next()) {
    has_block = token.is('{');
    if (token.kind == CssTokenKind::kEnd || token.is(';')) return false;
    if (has_block || token.is(',')) {
      any = any || all != negated;
      all = true;
      negated = false;
      if (has_block) return any;
    } else if (token.is('(') || token.kind == CssTokenKind::kFunction) {
      all = read_feature(css) && all;
    } else if (token.kind == CssTokenKind::kIdent) {
      const std::string word = ascii::to_lower(token.text);
      if (word == "not") negated = true;
      const bool joins = word == "not" || word == "and" || word == "only";
      all = all && (joins || word == "all" || word == "screen");
    }
  }
}

/// Reads the words of an @ rule up to its `{` or `;`; whether a block follows.
bool read_prelude(CssTokenizer& css) {
  for (CssToken token = css.next(); token.kind != CssTokenKind::kEnd; token = css.next()) {
    if (token.is('{')) return true;
    if (token.is(';')) return false;
  }
  return false;
}

/// Reads an @ rule; whether the rules in its block count, which then is open.
bool enter_at_rule(CssTokenizer& css) {
  const CssToken name = css.next();
  const std::string word = ascii::to_lower(name.text);
  bool has_block = false;
  bool counts = false;
  if (name.kind == CssTokenKind::kIdent && word == "media") {
    counts = read_media(css, has_block);
  } else {
    has_block = read_prelude(css);
    counts = word == "supports" || word == "layer";
  }
  if (has_block && !counts) skip_block(css);
  return has_block && counts;
}

std::string key_of(const CompoundSelector& compound) {
  if (!compound.id.empty()) return "#" + compound.id;
  if (!compound.classes.empty()) return "." + compound.classes.front();
  return compound.tag;
}

}  // namespace

void ShownSheet::add(std::string_view css, std::string_view media) {
  if (!media.empty()) {
    const std::string query = std::string(media) + "{";
    CssTokenizer words(query);
    bool has_block = false;
    if (!read_media(words, has_block)) return;
  }
  css = css.substr(0, kBytesMax - std::min(bytes_, kBytesMax));
  bytes_ += css.size();
  std::string plain;
  if (css.find('\\') != std::string_view::npos) {
    plain = unescape_css(css);
    css = plain;
  }
  CssTokenizer tokens(css);
  std::size_t open = 0;  // blocks of @ rules
  for (CssToken token = tokens.next(); token.kind != CssTokenKind::kEnd; token = tokens.next()) {
    if (token.kind == CssTokenKind::kSpace || token.is(';')) continue;
    if (token.is('}') && open > 0) {
      --open;
    } else if (token.is('@')) {
      if (!enter_at_rule(tokens)) continue;
      if (++open > kNestedRulesMax) return;
    } else {
      std::vector<Selector> selectors = read_selectors(tokens, token, rules_max_);
      const ShownBlock block = read_shown_block(tokens);
      add_rules(std::move(selectors), block);
    }
  }
}

void ShownSheet::add_rules(std::vector<Selector> selectors, const ShownBlock& block) {
  if (selectors.empty() || rules_.size() >= rules_max_) return;
  if (block.normal.empty() && block.important.empty()) return;
  blocks_.push_back(block);
  for (Selector& selector : selectors) {
    if (rules_.size() >= rules_max_) return;
    by_name_[key_of(selector.compounds.front())].push_back(
        static_cast<std::uint32_t>(rules_.size()));
    rules_.push_back({std::move(selector), blocks_.size() - 1});
  }
}

ShownBlock ShownSheet::find(const SelectorMatcher& matcher, std::string_view tag,
                            ElementIndex element, Steps& steps_left) const {
  std::vector<std::uint32_t> matched;
  const auto look = [&](std::string_view key) {
    const auto known = by_name_.find(key);
    if (known == by_name_.end()) return;
    for (const std::uint32_t rule : known->second) {
      if (steps_left == 0) return;
      if (matcher.matches(rules_[rule].selector, element, steps_left)) matched.push_back(rule);
    }
  };
  look("");
  if (!tag.empty()) look(tag);
  if (!matcher.id_of(element).empty()) look("#" + matcher.id_of(element));
  for (const std::string& name : matcher.classes_of(element)) look("." + name);
  std::ranges::sort(matched, [this](std::uint32_t a, std::uint32_t b) {
    return std::pair(rules_[a].selector.specificity, a) <
           std::pair(rules_[b].selector.specificity, b);
  });
  ShownBlock found;
  for (const std::uint32_t rule : matched) {
    const ShownBlock& block = blocks_[rules_[rule].block];
    found.normal.override_with(block.normal);
    found.important.override_with(block.important);
  }
  return found;
}

}  // namespace shingled::mime
