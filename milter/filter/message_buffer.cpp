#include "milter/filter/message_buffer.h"

namespace shingled::milter {

void MessageBuffer::add_header(std::string_view name, std::string_view value) {
  append(name);
  append(spacing_ == HeaderSpacing::kKept ? ":" : ": ");
  while (!value.empty()) {
    const std::size_t line_end = value.find('\n');
    if (line_end == std::string_view::npos) break;
    std::string_view line = value.substr(0, line_end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    append(line);
    append("\r\n");
    value.remove_prefix(line_end + 1);
  }
  append(value);
  append("\r\n");
}

void MessageBuffer::end_headers() { append("\r\n"); }

void MessageBuffer::add_body(std::string_view bytes) { append(bytes); }

void MessageBuffer::append(std::string_view bytes) {
  const std::uint64_t room = bytes_max_ - bytes_.size();
  if (bytes.size() > room) truncated_ = true;
  bytes_.append(
      bytes.substr(0, static_cast<std::size_t>(room < bytes.size() ? room : bytes.size())));
}

}  // namespace shingled::milter
