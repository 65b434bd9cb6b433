// URLs in any text with any line starts, in both modes and both versions of rspamd. Spans are
// inside the text and are the same in a copy of it, and `url_name` accepts each.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "mime/text/oneline.h"
#include "mime/url/link_domain.h"
#include "mime/url/url_finder.h"
#include "tests/mime/unmetered.h"

namespace {

using namespace shingled;
using namespace shingled::mime;

void check(const Oneline& line, UrlMode mode, Compat compat) {
  const auto spans = all_urls(line.text, line.line_starts, mode, compat);
  for (const UrlSpan& span : spans) {
    if (span.length == 0) std::abort();
    if (std::size_t{span.offset} + span.length > line.text.size()) std::abort();
    url_name(std::string_view(line.text).substr(span.offset, span.length));
  }
  const std::string copy = line.text;
  if (all_urls(copy, line.line_starts, mode, compat) != spans) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Oneline line = make_oneline(text, TextForm::kPlain);
  for (const UrlMode mode : {UrlMode::kFull, UrlMode::kStrict}) {
    for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) check(line, mode, compat);
  }
  return 0;
}
