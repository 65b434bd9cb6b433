#include "mime/words/tokenizer.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "config/base/ascii.h"
#include "mime/fingerprint/mumhash.h"
#include "mime/words/word_boundaries.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kWordsBeforeDecay = 600;
constexpr double kBytesPerWord = 6.0;
constexpr std::uint64_t kStatePrime = 0x2e0bb864e9ea7df5;
constexpr std::uint64_t kWordPrime = 0xcdb32970830fcaa1;
constexpr std::uint64_t kStepFactor = 2862933555777941757;
constexpr std::uint64_t kStepAddend = 3037000493;

/// The share of the remaining words to keep, in whole tenths, as a limit for a 64-bit number.
std::uint64_t limit_for(std::size_t bytes_left) {
  const double words_left = static_cast<double>(bytes_left) / kBytesPerWord;
  const double share = std::floor(kWordsBeforeDecay / words_left * 10.0) / 10.0;
  if (share >= 1.0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::ldexp(share, 64));
}

/// Thins out the words of a long text, the same way every time: keeps the first 600 words or so,
/// and of the rest about 600 more, chosen by a generator that the first words seed (HASHING.md
/// 10.4).
class WordDecay {
 public:
  explicit WordDecay(std::size_t text_bytes) : text_bytes_(text_bytes) {}

  /// Whether to keep `word`, whose segment ends at `end_offset` and which `tokens` tokens precede.
  bool keeps(std::string_view word, std::size_t tokens, std::size_t end_offset) {
    using fingerprint::mum;
    if (decaying_) {
      state_ = state_ * kStepFactor + kStepAddend;
      return state_ <= limit_;
    }
    std::uint64_t lead = 0;
    if (word.size() >= sizeof lead) {
      std::memcpy(&lead, word.data(), sizeof lead);
      state_ = mum(state_, kStatePrime) ^ mum(lead, kWordPrime);
    }
    if (tokens > kWordsBeforeDecay && end_offset < text_bytes_) {
      state_ ^= mum(state_, fingerprint::kMumFinishPrime);
      state_ ^= mum(state_, fingerprint::kMumTailPrime);
      limit_ = limit_for(text_bytes_ - end_offset);
      decaying_ = true;
    }
    return true;
  }

 private:
  std::size_t text_bytes_;
  std::uint64_t state_ = 0;
  std::uint64_t limit_ = 0;
  bool decaying_ = false;
};

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

  /// Handles the text from `last_` to the boundary `end_` and the exceptions that touch it. False:
  /// an exception reached beyond the boundary, so `end_` has moved; call again.
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
        // As in rspamd, a word directly before a URL that reaches further is lost.
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
  std::span<const Exception> exceptions_;  ///< those not handled yet
  std::size_t words_max_;
  WorkMeter& meter_;
  WordBoundaries boundaries_;
  WordDecay decay_;
  std::vector<Token> tokens_;
  std::size_t last_ = 0;  ///< the text before is done
  std::size_t end_ = 0;   ///< the current boundary
};

/// Blanks, most control characters and all ASCII punctuation except `! ' @`.
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
      if (at_ > 0) exceptions_ = {};  // it would never be passed
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

  /// Skips an exception that begins here. Exceptions that were passed are never reached.
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

std::vector<Token> split_words(std::string_view text, std::span<const Exception> exceptions,
                               const TokenizerOptions& options, WorkMeter& meter) {
  return Splitter(text, exceptions, options, meter).split();
}

std::vector<Token> split_raw_words(std::string_view text, std::span<const Exception> exceptions,
                                   std::uint32_t words_max) {
  return RawSplitter(text, exceptions).split(words_max);
}

std::string raw_stem(std::string_view word) { return ascii::to_lower(word); }

}  // namespace shingled::mime
