#include "mime/message/delimiters.h"

#include <algorithm>

#include "mime/ascii.h"
#include "mime/message/line_breaks.h"

namespace shingled::mime {
namespace {

/// The delimiter line from `begin`, where "--" is, to its break at `end`.
Delimiter read_delimiter(std::string_view bytes, std::size_t begin, std::size_t end) {
  Delimiter delimiter;
  delimiter.begin = begin;
  const std::size_t name_begin = begin + 2;
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

}  // namespace

Delimiter::Match Delimiter::match(std::string_view boundary) const {
  if (ascii::equal_ignoring_case(name, boundary))
    return closing ? Match::kClosing : Match::kOpening;
  if (closing && ascii::equal_ignoring_case(line, boundary)) return Match::kOpening;
  return Match::kNo;
}

std::vector<Delimiter> find_delimiters(std::string_view bytes) {
  std::vector<Delimiter> delimiters;
  LineBreaks breaks(bytes);
  std::size_t end = 0;  // of the line; a lone CR ends one, too
  for (std::size_t at = 0; at + 2 < bytes.size(); at = end + 1) {
    end = breaks.next(at);
    if (bytes[at] != '-' || bytes[at + 1] != '-') continue;
    Delimiter delimiter = read_delimiter(bytes, at, end);
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
