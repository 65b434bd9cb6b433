#include "mime/message/delimiters.h"

#include <algorithm>
#include <cstring>

#include "mime/message/ascii_case.h"

namespace shingled::mime {
namespace {

/// The delimiter line that begins at `begin` with "--".
Delimiter read_delimiter(std::string_view bytes, std::size_t begin) {
  Delimiter delimiter;
  delimiter.begin = begin;
  const std::size_t name_begin = begin + 2;
  const std::size_t end = std::min(bytes.find_first_of("\r\n", name_begin), bytes.size());
  delimiter.line = bytes.substr(name_begin, end - name_begin);
  delimiter.name = delimiter.line;
  delimiter.closing =
      delimiter.line.size() >= 2 && delimiter.line.substr(delimiter.line.size() - 2) == "--";
  if (delimiter.closing) delimiter.name.remove_suffix(2);
  delimiter.name_end = name_begin + delimiter.name.size();
  delimiter.line_end = end;
  if (end < bytes.size() && bytes[end] == '\r') ++delimiter.line_end;
  if (delimiter.line_end < bytes.size() && bytes[delimiter.line_end] == '\n') ++delimiter.line_end;
  return delimiter;
}

}  // namespace

Delimiter::Match Delimiter::match(std::string_view boundary) const {
  if (equal_ignoring_case(name, boundary)) return closing ? Match::kClosing : Match::kOpening;
  if (closing && equal_ignoring_case(line, boundary)) return Match::kOpening;
  return Match::kNo;
}

std::vector<Delimiter> find_delimiters(std::string_view bytes) {
  std::vector<Delimiter> delimiters;
  std::size_t at = 0;
  while (at + 2 <= bytes.size()) {
    if (bytes[at] == '-' && bytes[at + 1] == '-') {
      delimiters.push_back(read_delimiter(bytes, at));
      at = delimiters.back().line_end;
      continue;
    }
    const void* found = std::memchr(bytes.data() + at, '\n', bytes.size() - at);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) + 1;
  }
  return delimiters;
}

std::size_t first_delimiter_from(const std::vector<Delimiter>& delimiters, std::size_t offset) {
  const auto found = std::lower_bound(
      delimiters.begin(), delimiters.end(), offset,
      [](const Delimiter& delimiter, std::size_t wanted) { return delimiter.begin < wanted; });
  return static_cast<std::size_t>(found - delimiters.begin());
}

}  // namespace shingled::mime
