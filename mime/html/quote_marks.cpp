#include "mime/html/quote_marks.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "mime/html/element_list.h"

namespace shingled::mime {
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
  const bool goes_on =
      !runs.empty() && runs.back().place == run.place && runs.back().quoted == run.quoted;
  if (!goes_on) runs.push_back(run);
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
