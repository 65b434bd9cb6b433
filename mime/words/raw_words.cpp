#include "mime/words/raw_words.h"

#include <array>

#include "config/base/ascii.h"

namespace shingled::mime {

namespace {

/// Blanks, most control characters and the ASCII punctuation but for `! ' @`.
constexpr std::array<bool, 256> kDelimiters = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c <= 15; ++c) table[c] = c != '\f';
  for (const char c : std::string_view(" \"#$%&()*+,-./:;<=>?[\\]^_`{|}~")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

bool is_delimiter(char c) { return kDelimiters[static_cast<unsigned char>(c)]; }

class RawSplitter {
 public:
  RawSplitter(std::string_view text, std::span<const Exception> exceptions)
      : text_(text), exceptions_(exceptions) {}

  std::vector<Token> split(std::size_t words_max) {
    if (!exceptions_.empty() && exceptions_.front().offset == 0) {
      at_ = exceptions_.front().length;
      if (at_ > 0) exceptions_ = {};  // it is never left behind
    }
    while (tokens_.size() < words_max && read_word()) {
    }
    return std::move(tokens_);
  }

 private:
  /// The next word; false at the end of the text.
  bool read_word() {
    if (at_ >= text_.size()) return false;
    do {
      if (take_exception()) return true;
      ++at_;
    } while (at_ < text_.size() && is_delimiter(text_[at_]));
    const std::size_t begin = at_;
    for (; at_ < text_.size() && !is_delimiter(text_[at_]); ++at_) {
      const std::size_t end = at_;
      if (!take_exception()) continue;
      add(begin, end);
      return true;
    }
    if (at_ >= text_.size()) return false;
    add(begin, at_);
    return true;
  }

  /// Steps over the exception that begins here. One that lies behind is never met any more.
  bool take_exception() {
    if (exceptions_.empty() || exceptions_.front().offset != at_) return false;
    at_ += exceptions_.front().length;
    exceptions_ = exceptions_.subspan(1);
    return true;
  }

  void add(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    tokens_.push_back({.offset = static_cast<std::uint32_t>(begin),
                       .length = static_cast<std::uint32_t>(end - begin)});
  }

  std::string_view text_;
  std::span<const Exception> exceptions_;  ///< those not met yet
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> split_raw_words(std::string_view text, std::span<const Exception> exceptions,
                                   std::uint32_t words_max) {
  return RawSplitter(text, exceptions).split(words_max);
}

std::string raw_stem(std::string_view word) { return ascii::to_lower(word); }

}  // namespace shingled::mime
