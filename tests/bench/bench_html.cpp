// HTML to text: pages as in mail, and inputs that are made to be slow.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "mime/html/html_to_text.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kInputBytes = 500'000;

std::string repeat(std::string_view piece) {
  std::string html;
  while (html.size() < kInputBytes) html += piece;
  return html;
}

void BM_Html(benchmark::State& state, std::string_view piece) {
  const std::string html = repeat(piece);
  for (auto _ : state) {
    benchmark::DoNotOptimize(read_html(html, {}, Compat::kRspamd4));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(html.size()));
}

constexpr std::string_view kNewsletterRow =
    "<tr><td align=\"left\" style=\"font-family:Arial,sans-serif;font-size:14px;color:#333333\">"
    "Dear customer, your order has been shipped yesterday &amp; should arrive soon.&nbsp;"
    "<a href=\"https://www.example.com/track?id=1&amp;u=2\" class=\"button\">Track it here</a>"
    "<img src=\"https://www.example.com/i.png\" alt=\"logo\" width=\"1\"></td></tr>\n";
constexpr std::string_view kText =
    "<p>The parcel contains all the items which you have ordered from our online store, including "
    "the free samples that we promised during the spring campaign.</p>\n";

BENCHMARK_CAPTURE(BM_Html, newsletter, kNewsletterRow);
BENCHMARK_CAPTURE(BM_Html, text, kText);
BENCHMARK_CAPTURE(BM_Html, nested, "<div>");
BENCHMARK_CAPTURE(BM_Html, angles, "<");
BENCHMARK_CAPTURE(BM_Html, closing, "</p>");
BENCHMARK_CAPTURE(BM_Html, open_quotes, "<p a=\"");
BENCHMARK_CAPTURE(BM_Html, ampersands, "&");
BENCHMARK_CAPTURE(BM_Html, open_comments, "<!--");
BENCHMARK_CAPTURE(BM_Html, sheets, "<style>.a,.b{color:red}</style>");
BENCHMARK_CAPTURE(BM_Html, classes, "<p class='a b c d e f g h i j k l m n o p'>");

}  // namespace
}  // namespace shingled::mime
