#include "mime/text/footer.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kFooterLinesMax = 25;

std::size_t bytes_without_cr(std::string_view text) {
  std::size_t bytes = text.size();
  for (std::size_t at = text.find('\r'); at != std::string_view::npos;
       at = text.find('\r', at + 1)) {
    --bytes;
  }
  return bytes;
}

}  // namespace

std::size_t footer_bytes_of(std::string_view content) {
  const std::size_t half = bytes_without_cr(content) / 2;
  std::size_t below = 0;
  std::size_t at = content.size();
  for (std::size_t lines = 0; lines < kFooterLinesMax && at > 0; ++lines) {
    const std::size_t line_break = at < 2 ? std::string_view::npos : content.rfind('\n', at - 2);
    const std::size_t begin = line_break == std::string_view::npos ? 0 : line_break + 1;
    below += bytes_without_cr(content.substr(begin, at - begin));
    if (below > half) break;
    at = begin;
  }
  return content.size() - at;
}

}  // namespace shingled::mime
