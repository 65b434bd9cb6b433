#include "mime/message/header_block.h"

#include <algorithm>

#include "mime/message/line_breaks.h"

namespace shingled::mime {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_break(char c) { return c == '\r' || c == '\n'; }

/// Bytes of the line break at `at`: "\r\n", "\n" or "\r"; 0 if there is none.
std::size_t break_size(std::string_view bytes, std::size_t at) {
  if (at >= bytes.size() || !is_break(bytes[at])) return 0;
  return bytes[at] == '\r' && at + 1 < bytes.size() && bytes[at + 1] == '\n' ? 2 : 1;
}

struct Extent {
  std::size_t fields = 0;
  std::size_t body = 0;
  bool found = false;
};

/// Where the first empty line is.
Extent find_empty_line(std::string_view bytes) {
  LineBreaks breaks(bytes);
  std::size_t at = 0;
  while ((at = breaks.next(at)) < bytes.size()) {
    const std::size_t next = at + break_size(bytes, at);
    if (const std::size_t empty = break_size(bytes, next); empty > 0) {
      return {next, next + empty, true};
    }
    at = next;
  }
  return {bytes.size(), bytes.size(), false};
}

/// The end of the field that begins at `at`: the line break no blank follows.
std::size_t find_field_end(std::string_view block, std::size_t at, LineBreaks& breaks) {
  for (;;) {
    at = breaks.next(at);
    if (at >= block.size()) return block.size();
    const std::size_t next = at + break_size(block, at);
    if (next >= block.size() || !is_blank(block[next])) return at;
    at = next;
  }
}

/// A field without a usable name is none.
void add_field(std::string_view line, HeaderBlock& block, const MimeOptions& options) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return;
  const std::string_view name = line.substr(0, colon);
  if (name.find_first_of("\r\n") != std::string_view::npos) return;
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
  if (value.size() > options.header_line_bytes_max) {
    value = value.substr(0, options.header_line_bytes_max);
    block.truncated = true;
  }
  block.fields.push_back({name, value});
}

}  // namespace

HeaderBlock split_header_block(std::string_view bytes, const MimeOptions& options) {
  HeaderBlock block;
  const Extent extent = find_empty_line(bytes);
  block.bytes = extent.fields;
  block.body_begin = extent.body;
  block.ended = extent.found;
  block.truncated = extent.fields > options.header_bytes_max;
  const std::string_view text =
      bytes.substr(0, std::min<std::size_t>(extent.fields, options.header_bytes_max));
  LineBreaks breaks(text);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = find_field_end(text, at, breaks);
    add_field(text.substr(at, end - at), block, options);
    at = end + break_size(text, end);
    if (end == text.size()) break;
  }
  return block;
}

std::string unfold(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  std::size_t at = 0;
  while (at < value.size()) {
    const std::size_t end = value.find_first_of("\r\n", at);
    out.append(value, at, end == std::string_view::npos ? end : end - at);
    if (end == std::string_view::npos) break;
    at = end;
    while (at < value.size() && (is_break(value[at]) || is_blank(value[at]))) ++at;
    if (at < value.size()) out.push_back(' ');
  }
  return out;
}

}  // namespace shingled::mime
