#include "mime/words/tokenizer.h"

#include "mime/words/word_boundaries.h"
#include "mime/words/word_decay.h"

namespace shingled::mime {

namespace {

constexpr Steps kStepsABoundary = 12;

class Splitter {
 public:
  Splitter(std::string_view text, std::span<const Exception> exceptions,
           const TokenizerOptions& options, WorkMeter& meter)
      : text_(text),
        exceptions_(exceptions),
        words_max_(options.words_max),
        meter_(meter),
        boundaries_(text, options.form, meter),
        decay_(text.size()) {
    tokens_.reserve(text.size() / 6);  // an English word and its space
  }

  std::vector<Token> split() {
    while (tokens_.size() < words_max_ && next_boundary()) {
      bool settled = false;
      while (!settled && end_ > last_) settled = split_segment();
    }
    return std::move(tokens_);
  }

 private:
  bool next_boundary() {
    const std::size_t next = boundaries_.next();
    if (next == WordBoundaries::kEnd || !meter_.spend(kStepsABoundary)) return false;
    end_ = next;
    return true;
  }

  [[nodiscard]] bool has_exception() const { return !exceptions_.empty(); }
  [[nodiscard]] const Exception& exception() const { return exceptions_.front(); }

  /// Deals with the text from `last_` to the boundary `end_` and the exceptions that touch it.
  /// False: an exception reached beyond the boundary, which has moved; look again.
  bool split_segment() {
    if (!has_exception() || exception().offset > end_) {
      add_word(last_, end_);
    } else if (exception().offset < last_) {
      while (has_exception() && exception().offset <= last_) drop_exception();
      add_word(last_, end_);
    } else {
      while (has_exception() && exception().offset <= last_) {
        last_ += exception().length;
        take_exception();
        if (last_ > end_) return skip_to_last();
      }
      if (has_exception() && exception().offset <= end_) {
        const std::size_t begin = last_;
        const std::size_t offset = exception().offset;
        last_ = offset + exception().length;
        take_exception();
        // A word glued to the front of a URL that reaches further is lost: so it is in rspamd.
        if (last_ > end_) return skip_to_last();
        add_word(begin, offset);
      } else {
        add_word(last_, end_);
      }
    }
    last_ = end_;
    return true;
  }

  bool skip_to_last() {
    while (end_ < last_) {
      if (!next_boundary()) {
        last_ = end_;
        return true;
      }
    }
    return false;
  }

  void drop_exception() { exceptions_ = exceptions_.subspan(1); }
  void take_exception() {
    const Exception& taken = exception();
    if (taken.kind != ExceptionKind::kLineStart) {
      tokens_.push_back({.offset = taken.offset, .length = taken.length, .kind = TokenKind::kUrl});
    }
    drop_exception();
  }

  void add_word(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const std::string_view word = text_.substr(begin, end - begin);
    if (!begins_word(word)) return;
    const bool kept = decay_.keeps(word, tokens_.size(), end_);
    tokens_.push_back({.offset = static_cast<std::uint32_t>(begin),
                       .length = static_cast<std::uint32_t>(end - begin),
                       .kind = kept ? TokenKind::kWord : TokenKind::kDecayed});
  }

  std::string_view text_;
  std::span<const Exception> exceptions_;  ///< those not dealt with yet
  std::size_t words_max_;
  WorkMeter& meter_;
  WordBoundaries boundaries_;
  WordDecay decay_;
  std::vector<Token> tokens_;
  std::size_t last_ = 0;  ///< the text before is done
  std::size_t end_ = 0;   ///< the boundary at work
};

}  // namespace

std::vector<Token> split_words(std::string_view text, std::span<const Exception> exceptions,
                               const TokenizerOptions& options, WorkMeter& meter) {
  return Splitter(text, exceptions, options, meter).split();
}

}  // namespace shingled::mime
