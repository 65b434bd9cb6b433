#include "mime/message/header_block.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"

namespace shingled::mime {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

constexpr std::size_t kFieldsUsual = 16;  // of a message; parts have fewer

/// The size of the line break at `at`: "\r\n", "\n" or "\r"; 0 if there is none.
std::size_t break_size(std::string_view bytes, std::size_t at) {
  if (at >= bytes.size() || !is_line_break(bytes[at])) return 0;
  return bytes[at] == '\r' && at + 1 < bytes.size() && bytes[at + 1] == '\n' ? 2 : 1;
}

/// Adds the field of a line, unless it has no usable name.
void add_field(std::string_view line, HeaderBlock& block, const MimeOptions& options) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return;
  const std::string_view name = line.substr(0, colon);
  if (std::any_of(name.begin(), name.end(), is_line_break)) return;
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
  if (value.size() > options.header_line_bytes_max) {
    value = value.substr(0, options.header_line_bytes_max);
    block.truncated = true;
  }
  block.fields.push_back({name, value});
}

/// Adds the fields up to the empty line or the end. Returns their size in bytes, with the last line
/// break.
std::size_t read_fields(std::string_view bytes, HeaderBlock& block, const MimeOptions& options) {
  LineBreaks breaks(bytes);
  std::size_t field = 0;  // where it begins
  std::size_t at = 0;
  while ((at = breaks.next(at)) < bytes.size()) {
    const std::size_t end = at;
    at += break_size(bytes, end);
    const std::size_t empty = break_size(bytes, at);
    if (empty == 0 && at < bytes.size() && is_blank(bytes[at])) continue;
    if (field < options.header_bytes_max)
      add_field(bytes.substr(field, end - field), block, options);
    field = at;
    if (empty == 0) continue;
    block.body_begin = at + empty;
    block.ended = true;
    return at;
  }
  block.body_begin = bytes.size();
  if (field < options.header_bytes_max) add_field(bytes.substr(field), block, options);
  return bytes.size();
}

}  // namespace

HeaderBlock split_header_block(std::string_view bytes, const MimeOptions& options) {
  HeaderBlock block;
  block.fields.reserve(kFieldsUsual);
  if (read_fields(bytes, block, options) <= options.header_bytes_max) return block;
  HeaderBlock truncated;
  read_fields(bytes.substr(0, options.header_bytes_max), truncated, options);
  block.fields = std::move(truncated.fields);
  block.truncated = true;
  return block;
}

std::string unfold(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  std::size_t at = 0;
  while (at < value.size()) {
    const std::size_t end = ascii::find_any<'\r', '\n'>(value, at);
    out.append(value, at, end - at);
    at = end;
    if (at == value.size()) break;
    while (at < value.size() && (is_line_break(value[at]) || is_blank(value[at]))) ++at;
    if (at < value.size()) out.push_back(' ');
  }
  return out;
}

namespace {

class WordReader {
 public:
  explicit WordReader(std::string_view value) : value_(value) {}

  std::string read() {
    if (!skip_comments()) return "";
    std::string word;
    if (at_ < value_.size() && value_[at_] == '"') {
      if (!read_quoted(word)) return "";
    } else {
      read_plain(word);
    }
    if (!skip_comments() || (at_ < value_.size() && value_[at_] != ';')) return "";
    return ascii::to_lower(ascii::trim_space(word));
  }

 private:
  void read_plain(std::string& word) {
    constexpr ascii::CharSet kEnds("; \t\r\n(\"");
    while (at_ < value_.size() && !kEnds.has(value_[at_])) word += value_[at_++];
  }

  /// False if the quote has no end.
  bool read_quoted(std::string& word) {
    for (++at_; at_ < value_.size(); ++at_) {
      if (value_[at_] == '"') {
        ++at_;
        return true;
      }
      if (value_[at_] == '\\' && at_ + 1 < value_.size()) ++at_;
      word += value_[at_];
    }
    return false;
  }

  bool skip_comments() { return skip_blanks_and_comments(value_, at_); }

  std::string_view value_;
  std::size_t at_ = 0;
};

}  // namespace

bool skip_blanks_and_comments(std::string_view value, std::size_t& at) {
  std::size_t depth = 0;
  for (; at < value.size(); ++at) {
    const char c = value[at];
    if (c == '(') {
      ++depth;
    } else if (depth > 0 && c == ')') {
      --depth;
    } else if (depth > 0 && c == '\\' && at + 1 < value.size()) {
      ++at;
    } else if (depth == 0 && !ascii::is_space(c)) {
      return true;
    }
  }
  return depth == 0;
}

std::string field_word(std::string_view value) {
  return WordReader(value.substr(0, kFieldWordBytesMax)).read();
}

}  // namespace shingled::mime
