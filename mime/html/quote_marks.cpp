#include "mime/html/quote_marks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "config/base/ascii.h"
#include "mime/html/element_list.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kQuoteNameBytesMax = 256;  // of a class or id attribute
constexpr std::size_t kQuoteStyleBytesMax = 512;

using RoleOfName = std::pair<std::string_view, QuoteRole>;

constexpr auto kClasses = std::to_array<RoleOfName>({
    {"gmail_quote", QuoteRole::kQuote},
    {"gmail_quote_container", QuoteRole::kQuote},
    {"gmail_attr", QuoteRole::kSource},
    {"moz-cite-prefix", QuoteRole::kSource},
    {"moz-forward-container", QuoteRole::kQuote},
    {"moz-email-headers-table", QuoteRole::kSource},
    {"yahoo_quoted", QuoteRole::kQuote},
    {"protonmail_quote", QuoteRole::kQuote},
    {"tutanota_quote", QuoteRole::kQuote},
    {"zmail_extra", QuoteRole::kQuote},
    {"ms-outlook-mobile-reference-message", QuoteRole::kQuote},
    {"outlookmessageheader", QuoteRole::kRest},
    {"mail-quote-collapse", QuoteRole::kQuote},
});

constexpr auto kIds = std::to_array<RoleOfName>({
    {"divrplyfwdmsg", QuoteRole::kRest},
    {"appendonsend", QuoteRole::kRest},
    {"stopspelling", QuoteRole::kRest},
    {"mail-editor-reference-message-container", QuoteRole::kQuote},
    {"olk_src_body_section", QuoteRole::kQuote},
    {"reply-intro", QuoteRole::kSource},
    {"isreplycontent", QuoteRole::kQuote},
    {"isforwardcontent", QuoteRole::kQuote},
});

QuoteRole role_of(std::span<const RoleOfName> names, std::string_view name) {
  // Outlook on the web renames what it quotes, once a reply.
  while (name.starts_with("x_")) name.remove_prefix(2);
  if (name.starts_with("yahoo_quoted")) return QuoteRole::kQuote;
  const auto found = std::ranges::find(names, name, &RoleOfName::first);
  return found == names.end() ? QuoteRole::kNone : found->second;
}

/// The first word of `words` that has a role.
QuoteRole role_of_words(std::span<const RoleOfName> names, std::string_view words) {
  while (!words.empty()) {
    const auto* const end = std::find_if(words.begin(), words.end(), ascii::is_space);
    const auto size = static_cast<std::size_t>(end - words.begin());
    if (const QuoteRole role = role_of(names, words.substr(0, size)); role != QuoteRole::kNone)
      return role;
    words.remove_prefix(std::min(size + 1, words.size()));
  }
  return QuoteRole::kNone;
}

class RoleReader {
 public:
  RoleReader(const HtmlTree& tree, std::string_view html) : tree_(tree), html_(html) {}

  [[nodiscard]] QuoteRole role(const Element& element) const {
    if (element.role != ElementRole::kElement) return QuoteRole::kNone;
    const QuoteRole by_class = role_of_words(kClasses, value(element, AttributeName::kClass));
    if (by_class != QuoteRole::kNone) return by_class;
    const QuoteRole by_id = role_of_words(kIds, value(element, AttributeName::kId));
    if (by_id != QuoteRole::kNone) return by_id;
    return element.is("blockquote") && quotes(element) ? QuoteRole::kQuote : QuoteRole::kNone;
  }

 private:
  [[nodiscard]] std::string value(const Element& element, AttributeName name) const {
    const Attribute* attribute = tree_.attribute(element, name);
    return attribute == nullptr ? std::string()
                                : ascii::to_lower(attribute->value(kQuoteNameBytesMax));
  }

  /// Whether a blockquote quotes and does not only indent.
  [[nodiscard]] bool quotes(const Element& element) const {
    const Attribute* style = tree_.attribute(element, AttributeName::kStyle);
    if (style == nullptr) return true;
    std::string text = ascii::to_lower(style->value(kQuoteStyleBytesMax));
    std::erase_if(text, ascii::is_space);
    if (text.find("border:none") == std::string::npos) return true;
    const auto type = written_attribute(html_, element, "type");
    return type && ascii::equal_ignoring_case(ascii::trim_space(*type), "cite");
  }

  const HtmlTree& tree_;
  std::string_view html_;
};

}  // namespace

std::vector<QuoteRole> quote_roles(const HtmlTree& tree, std::string_view html) {
  const RoleReader reader(tree, html);
  std::vector<QuoteRole> roles(tree.elements.size());
  std::ranges::transform(tree.elements, roles.begin(),
                         [&](const Element& element) { return reader.role(element); });
  return roles;
}

namespace {

constexpr std::size_t kSourceBytesRead = 256;  // enough to see that it is not blank

bool is_quote(QuoteRole role) { return role == QuoteRole::kQuote || role == QuoteRole::kSource; }

bool is_source(QuoteRole role) { return role == QuoteRole::kSource || role == QuoteRole::kRest; }

}  // namespace

void QuoteMarks::enter(ElementIndex element, std::size_t place, bool is_left) {
  places_[element] = place;
  const QuoteRole role = roles_[element];
  if (role == QuoteRole::kRest && depth_ == 0 && !rest_) rest_ = place;
  if (is_left && is_quote(role)) ++depth_;
  quoted_[element] = is_quoted();
}

void QuoteMarks::leave(ElementIndex element, std::size_t begin, std::string_view text) {
  const QuoteRole role = roles_[element];
  if (is_source(role) && !ascii::trim_space(text.substr(0, kSourceBytesRead)).empty())
    quotes_.sourced = true;
  if (!is_quote(role) || --depth_ > 0) return;
  if (!text.empty() && !rest_) quotes_.spans.push_back({begin, begin + text.size()});
}

void QuoteMarks::hide(std::size_t begin, std::size_t place) {
  std::vector<HiddenRun>& runs = quotes_.hidden;
  const HiddenRun run{.begin = begin, .place = place, .quoted = is_quoted()};
  const bool continues =
      !runs.empty() && runs.back().place == run.place && runs.back().quoted == run.quoted;
  if (!continues) runs.push_back(run);
}

void QuoteMarks::hide_title(const HtmlTree& tree, ElementIndex title, std::size_t begin) {
  for (; read_ < title; ++read_) {
    const Element& element = tree.elements[read_];
    const bool closed = element.close_end > element.content;
    const bool whole = is_quote(roles_[read_]) && closed;
    if (whole) quoted_to_ = std::max(quoted_to_, element.close_end);
    if (!whole && roles_[read_] != QuoteRole::kNone) quoted_to_ = std::string_view::npos;
  }
  const bool quoted = tree.elements[title].tag_start < quoted_to_;
  titles_.push_back(title);
  quotes_.hidden.push_back({.begin = begin, .place = 0, .quoted = quoted});
}

void QuoteMarks::place_titles() {
  std::size_t place = 0;
  ElementIndex before = 0;
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    for (; before < titles_[i]; ++before) place = std::max(place, places_[before]);
    quotes_.hidden[i].place = place;
  }
}

HtmlQuotes QuoteMarks::take(const HtmlTree& tree, std::size_t bytes) {
  place_titles();
  if (rest_) quotes_.spans.push_back({*rest_, bytes});
  // The printer takes blanks back at the end of an element, so spans may overlap by them.
  std::size_t end = 0;
  for (TextSpan& span : quotes_.spans) {
    span.begin = std::max(span.begin, end);
    span.end = end = std::max(end, std::min(span.end, bytes));
  }
  std::erase_if(quotes_.spans, [](const TextSpan& span) { return span.begin >= span.end; });
  for (const ElementIndex element : listed_elements(tree)) {
    quotes_.places.push_back(places_[element]);
    quotes_.elements.push_back(quoted_[element]);
  }
  return std::move(quotes_);
}

}  // namespace shingled::mime
