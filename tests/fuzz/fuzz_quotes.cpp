// Any bytes as a text that quotes, read as plain text and as HTML. Quotes are in order, disjoint
// and in the text; words are counted once; what is left is not longer than the text, but for a line
// break for each quote.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "mime/html/html_to_text.h"
#include "mime/text/quotes.h"

namespace {

using namespace shingled;
using namespace shingled::mime;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(std::string_view text, std::span<const TextSpan> known) {
  const Quotes quotes = find_quotes(text, known);
  require(quotes.spans.size() <= kQuotesMax);
  std::size_t end = 0;
  std::size_t quoted = 0;
  for (const TextSpan& span : quotes.spans) {
    require(span.begin >= end && span.begin < span.end);
    require(lies_in(quotes.spans, span.begin) && lies_in(quotes.spans, span.end - 1));
    end = span.end;
    quoted += span.end - span.begin;
  }
  require(end <= text.size());
  for (const TextSpan& span : known) require(lies_in(quotes.spans, span.begin));
  const std::string own = without_spans(text, quotes.spans);
  require(own.size() <= text.size() - quoted + quotes.spans.size());
  require(quotes.own_words <= text.size() && quotes.quoted_words <= text.size());
  if (quotes.own_words == 0) require(!quotes.hold(Answer::kYes) && !quotes.hold(Answer::kNo));
  if (quotes.hold(Answer::kNo)) require(quotes.hold(Answer::kYes));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, {});
  WorkMeter meter(UINT64_MAX);
  const HtmlText html = html_to_text(text, {.text_bytes_max = 1 << 16}, Compat::kRspamd4, meter);
  require(html.quotes.places.size() == html.elements.size());
  require(html.quotes.elements.size() == html.elements.size());
  check(html.seen ? std::string_view(*html.seen) : std::string_view(html.content),
        html.quotes.spans);
  std::size_t at = 0;
  for (const HiddenRun& run : html.quotes.hidden) {
    require(run.begin >= at && run.begin <= html.hidden.size());
    at = run.begin;
  }
  return 0;
}
