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
  constexpr int kParentsMax = 64;  // each title may be deep
  bool quoted = false;
  ElementIndex above = tree.elements[title].parent;
  for (int i = 0; i < kParentsMax && above != kNoElement; ++i) {
    quoted = quoted || is_quote(roles_[above]);
    above = tree.elements[above].parent;
  }
  quotes_.hidden.push_back({.begin = begin, .place = 0, .quoted = quoted});
}

HtmlQuotes QuoteMarks::take(const HtmlTree& tree, std::size_t bytes) {
  if (rest_) quotes_.spans.push_back({*rest_, bytes});
  for (TextSpan& span : quotes_.spans) span.end = std::min(span.end, bytes);
  std::erase_if(quotes_.spans, [](const TextSpan& span) { return span.begin >= span.end; });
  for (const ElementIndex element : listed_elements(tree)) {
    quotes_.places.push_back(places_[element]);
    quotes_.elements.push_back(quoted_[element]);
  }
  return std::move(quotes_);
}

}  // namespace shingled::mime
