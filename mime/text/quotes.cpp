#include "mime/text/quotes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <optional>
#include <utility>

#include "config/base/ascii.h"
#include "mime/text/boilerplate.h"
#include "mime/text/quote_lines.h"
#include "mime/words/letter_fold.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kAttributionLinesMax = 3;
constexpr int kShownFieldsMin = 3;
constexpr std::size_t kFieldLinesMax = 4;  // of one field: a long list of recipients

/// Lines in a row that may be the header of another message.
class ShownHeader {
 public:
  /// Whether the lines so far are such a header.
  bool is_complete_with(std::string_view line, std::size_t offset) {
    const ShownField field = shown_field(line);
    if (field == ShownField::kNone) {
      if (++further_ > kFieldLinesMax) end();
      return false;
    }
    if (fields_ == 0) {
      begin_ = offset;
      address_ = false;
    }
    fields_ |= bit(field);
    further_ = 0;
    address_ = address_ || line.find('@') != std::string_view::npos;
    // A journey has From, To and Date, too.
    const bool mail = address_ || (fields_ & bit(ShownField::kSubject)) != 0;
    const bool author = (fields_ & bit(ShownField::kFrom)) != 0;
    return mail && author && std::popcount(fields_) >= kShownFieldsMin;
  }
  void end() { fields_ = 0; }
  [[nodiscard]] std::size_t begin() const { return begin_; }

 private:
  static unsigned bit(ShownField field) { return 1U << static_cast<unsigned>(field); }

  unsigned fields_ = 0;  ///< a bit each
  bool address_ = false;
  std::size_t begin_ = 0;
  std::size_t further_ = 0;  ///< lines since the last field
};

/// Reads a text line by line, outside the quotes that are known already.
class QuoteReader {
 public:
  explicit QuoteReader(std::string_view text) : text_(text) {}

  Quotes read(std::span<const TextSpan> known) {
    std::size_t at = 0;
    for (const TextSpan& span : known) {
      if (span.begin >= span.end || span.begin < at) continue;
      read_lines(at, span.begin);
      if (ended_) break;
      name_author();
      add(span.begin, span.end);
      rest_ = {};
      at = span.end;
    }
    if (!ended_) read_lines(at, text_.size());
    if (rest_ && !ended_) quote_rest(*rest_);
    count();
    return std::move(quotes_);
  }

 private:
  struct Line {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  [[nodiscard]] std::string_view text_of(const Line& line) const {
    return text_.substr(line.begin, line.end - line.begin);
  }

  void read_lines(std::size_t at, std::size_t end) {
    above_count_ = 0;
    blank_ = false;
    header_.end();
    while (at < end && !ended_) {
      const std::size_t found = text_.substr(0, end).find('\n', at);
      const std::size_t next = found == std::string_view::npos ? end : found + 1;
      read_line({at, next});
      at = next;
    }
  }

  void read_line(const Line& line) {
    const std::string_view content = ascii::trim_space(text_of(line));
    if (content.empty()) {
      blank_ = true;
      return header_.end();
    }
    if (is_marked(text_of(line))) return quote_line(line);
    if (blank_) above_count_ = 0;  // a new paragraph: only it may name an author
    blank_ = false;
    if (content.size() > kQuoteLineBytesMax) {
      above_count_ = 0;
      return header_.end();
    }
    if (header_.is_complete_with(content, line.begin)) return quote_rest(header_.begin());
    keep_above(line);
    judge(content);
  }

  /// What a line says by itself.
  void judge(std::string_view content) {
    const bool ruled = content.front() == '-' || content.front() == '=' || content.front() == '_' ||
                       content.front() == '*';
    if (!ruled && !content.ends_with(':') && !content.ends_with("\uFF1A")) return;
    folded_.clear();
    fold_letters(content, folded_);
    const std::string_view folded = ascii::trim_space(folded_);
    if (announces_message(folded)) {
      quote_rest(above_[above_count_ - 1].begin);
    } else if (!rest_ && is_attribution(folded)) {
      rest_ = above_[author_line()].begin;
    }
  }

  void quote_line(const Line& line) {
    name_author();
    quotes_.sourced = true;
    rest_ = {};
    blank_ = false;
    header_.end();
    add(line.begin, line.end);
  }

  void quote_rest(std::size_t begin) {
    quotes_.sourced = true;
    ended_ = true;
    add(begin, text_.size());
  }

  void keep_above(const Line& line) {
    if (above_count_ == above_.size()) {
      std::rotate(above_.begin(), above_.begin() + 1, above_.end());
      --above_count_;
    }
    above_[above_count_++] = line;
  }

  /// The first line of the attribution that the last line above ends. Programs wrap it: "On Monday,
  /// A Miller\n<a@example.org> wrote:", "... <a@example.org>\nwrote:".
  [[nodiscard]] std::size_t author_line() const {
    std::size_t first = above_count_ - 1;
    while (first > 0) {
      const std::string_view line = ascii::trim_space(text_of(above_[first]));
      const bool whole = may_be_attribution(joined_with_end(first)) && !line.starts_with('<');
      if (whole) break;
      --first;
    }
    return first;
  }

  /// The lines above from the `first` on.
  [[nodiscard]] std::string_view joined_with_end(std::size_t first) const {
    const std::size_t begin = above_[first].begin;
    return ascii::trim_space(text_.substr(begin, above_[above_count_ - 1].end - begin));
  }

  /// Quotes the line above, too, if it names the author of what follows.
  void name_author() {
    if (above_count_ == 0) return;
    const std::size_t first = author_line();
    if (may_be_attribution(joined_with_end(first))) {
      quotes_.sourced = true;
      add(above_[first].begin, above_[above_count_ - 1].end);
    }
    above_count_ = 0;
  }

  void add(std::size_t begin, std::size_t end) {
    std::vector<TextSpan>& spans = quotes_.spans;
    if (begin >= end) return;
    // What was quoted by line may be the beginning of what a header above quotes as a whole.
    while (!spans.empty() && spans.back().begin >= begin) spans.pop_back();
    if (!spans.empty() && only_blanks(spans.back().end, begin)) {
      spans.back().end = std::max(spans.back().end, end);
    } else if (spans.size() < kQuotesMax) {
      spans.push_back({begin, end});
    } else {
      ended_ = true;
    }
  }

  /// Blank lines between quoted ones do not end a quote. Looked at up to a few, so that each byte
  /// is read once.
  [[nodiscard]] bool only_blanks(std::size_t from, std::size_t to) const {
    constexpr std::size_t kBlanksMax = 64;
    if (from >= to) return true;
    const std::string_view between = text_.substr(from, to - from);
    return between.size() <= kBlanksMax && ascii::trim_space(between).empty();
  }

  void count() {
    std::size_t at = 0;
    for (const TextSpan& span : quotes_.spans) {
      quotes_.own_words += count_words(text_.substr(at, span.begin - at));
      quotes_.quoted_words += count_words(text_.substr(span.begin, span.end - span.begin));
      at = span.end;
    }
    quotes_.own_words += count_words(text_.substr(at));
  }

  std::string_view text_;
  Quotes quotes_;
  ShownHeader header_;
  std::array<Line, kAttributionLinesMax> above_{};  ///< the last lines of the paragraph
  std::size_t above_count_ = 0;
  bool blank_ = false;               ///< the line before was empty
  std::optional<std::size_t> rest_;  ///< where the rest begins, unless lines below are marked
  bool ended_ = false;               ///< the rest is quoted, or there are too many quotes
  std::string folded_;
};

}  // namespace

bool Quotes::hold(Answer answer) const {
  if (spans.empty() || own_words == 0) return false;
  if (sourced && answer == Answer::kYes) return true;
  if (own_words < kOwnWordsOfStranger) return false;
  return sourced || answer == Answer::kYes || own_words >= quoted_words;
}

Quotes find_quotes(std::string_view text, std::span<const TextSpan> known) {
  return QuoteReader(text).read(known);
}

std::string without_spans(std::string_view text, std::span<const TextSpan> spans) {
  std::string out;
  std::size_t at = 0;
  for (const TextSpan& span : spans) {
    out += text.substr(at, span.begin - at);
    if (!out.empty() && out.back() != '\n') out += '\n';
    at = span.end;
  }
  out += text.substr(at);
  return out;
}

std::string quoted_text(std::string_view text, std::span<const TextSpan> spans) {
  constexpr ascii::CharSet kMarks("> \t");
  std::string out;
  for (const TextSpan& span : spans) {
    if (!out.empty() && out.back() != '\n') out += '\n';
    bool begun = false;  // the line, after its marks
    for (const char c : text.substr(span.begin, span.end - span.begin)) {
      begun = c != '\n' && (begun || !kMarks.has(c));
      if (begun || c == '\n') out += c;
    }
  }
  return out;
}

bool lies_in(std::span<const TextSpan> spans, std::size_t offset) {
  const auto after =
      std::upper_bound(spans.begin(), spans.end(), offset,
                       [](std::size_t at, const TextSpan& span) { return at < span.begin; });
  return after != spans.begin() && offset < std::prev(after)->end;
}

std::size_t count_words(std::string_view text) {
  constexpr unsigned char kWideLead = 0xE0;  // of three and four bytes: also scripts without spaces
  std::size_t words = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t wide = 0;
    bool letter = false;
    for (; at < text.size() && !ascii::is_space(text[at]); ++at) {
      letter = letter || ascii::is_alpha(text[at]) || ascii::is_high(text[at]);
      if (static_cast<unsigned char>(text[at]) >= kWideLead) ++wide;
    }
    if (letter) words += std::max<std::size_t>(1, wide / 2);
    ++at;
  }
  return words;
}

}  // namespace shingled::mime
