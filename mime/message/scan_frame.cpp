#include "mime/message/scan_frame.h"

#include <algorithm>

#include "config/base/ascii.h"
#include "mime/message/header_block.h"

namespace shingled::mime {
namespace {

/// Parses the line from the "--" at `begin` to the line break at `end`.
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
    delimiter.after = name_begin + delimiter.name.size();
    return delimiter;
  }
  delimiter.after = end;
  if (end < bytes.size() && bytes[end] == '\r') ++delimiter.after;
  if (delimiter.after < bytes.size() && bytes[delimiter.after] == '\n') ++delimiter.after;
  return delimiter;
}

}  // namespace

Delimiter::Match Delimiter::match(std::string_view boundary) const {
  if (ascii::equal_ignoring_case(name, boundary))
    return closing ? Match::kClosing : Match::kOpening;
  if (closing && ascii::equal_ignoring_case(line, boundary)) return Match::kOpening;
  return Match::kNo;
}

DelimiterList::DelimiterList(std::string_view bytes, std::size_t count_max) : bytes_(bytes) {
  LineBreaks breaks(bytes);
  std::size_t end = 0;  // of the line; a lone CR ends one, too
  for (std::size_t at = 0; at + 2 < bytes.size(); at = end + 1) {
    end = breaks.next(at);
    if (bytes[at] != '-' || bytes[at + 1] != '-' || end == at + 2) continue;
    if (lines_.size() >= count_max) {
      truncated_ = true;
      return;
    }
    lines_.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)});
  }
}

Delimiter DelimiterList::operator[](std::size_t index) const {
  return read_delimiter(bytes_, lines_[index].begin, lines_[index].end);
}

std::size_t DelimiterList::first_from(std::size_t offset) const {
  const auto found =
      std::lower_bound(lines_.begin(), lines_.end(), offset,
                       [](const Line& line, std::size_t wanted) { return line.begin < wanted; });
  return static_cast<std::size_t>(found - lines_.begin());
}

}  // namespace shingled::mime
