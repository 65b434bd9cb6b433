#include "mime/message/field_word.h"

#include "config/base/ascii.h"

namespace shingled::mime {

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
