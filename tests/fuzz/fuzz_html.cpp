// Any bytes as HTML, read in the way of both versions of rspamd.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mime/html/html_to_text.h"
#include "tests/mime/unmetered.h"

namespace {

using shingled::Compat;
using shingled::mime::HtmlLimits;
using shingled::mime::HtmlText;
using shingled::mime::LinkSpan;

void check(std::string_view html, Compat compat) {
  const HtmlLimits limits{.input_bytes_max = 1 << 16,
                          .text_bytes_max = 1 << 12,
                          .elements_max = 64,
                          .style_rules_max = 16};
  const HtmlText text = shingled::mime::read_html(html, limits, compat);
  if (text.content.size() > limits.text_bytes_max) std::abort();
  for (const LinkSpan& link : text.links) {
    if (link.offset + link.length > text.content.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view html(reinterpret_cast<const char*>(data), size);
  check(html, Compat::kRspamd3);
  check(html, Compat::kRspamd4);
  return 0;
}
