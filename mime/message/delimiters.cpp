#include "mime/message/delimiters.h"

#include <algorithm>
#include <cstring>

#include "mime/ascii.h"

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
  const std::string_view whole = bytes.substr(begin, end - begin);
  delimiter.closing = !delimiter.line.empty() && whole.substr(whole.size() - 2) == "--";
  if (delimiter.closing) {
    delimiter.name.remove_suffix(std::min<std::size_t>(delimiter.name.size(), 2));
    delimiter.behind = name_begin + delimiter.name.size();
    return delimiter;
  }
  delimiter.behind = end;
  if (end < bytes.size() && bytes[end] == '\r') ++delimiter.behind;
  if (delimiter.behind < bytes.size() && bytes[delimiter.behind] == '\n') ++delimiter.behind;
  return delimiter;
}

/// The start of the next line; the end of `bytes` if there is none. A lone CR ends a line, too.
std::size_t next_line(std::string_view bytes, std::size_t at) {
  const auto find = [&bytes](char c, std::size_t from, std::size_t to) {
    const void* found = std::memchr(bytes.data() + from, c, to - from);
    return found == nullptr
               ? to
               : static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
  };
  const std::size_t line_feed = find('\n', at, bytes.size());
  const std::size_t carriage_return = find('\r', at, line_feed);
  return std::min(std::min(line_feed, carriage_return) + 1, bytes.size());
}

}  // namespace

Delimiter::Match Delimiter::match(std::string_view boundary) const {
  if (ascii::equal_ignoring_case(name, boundary))
    return closing ? Match::kClosing : Match::kOpening;
  if (closing && ascii::equal_ignoring_case(line, boundary)) return Match::kOpening;
  return Match::kNo;
}

std::vector<Delimiter> find_delimiters(std::string_view bytes) {
  std::vector<Delimiter> delimiters;
  for (std::size_t at = 0; at + 2 < bytes.size(); at = next_line(bytes, at)) {
    if (bytes[at] != '-' || bytes[at + 1] != '-') continue;
    Delimiter delimiter = read_delimiter(bytes, at);
    if (!delimiter.line.empty()) delimiters.push_back(delimiter);
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
