#include "mime/text/robust_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/base/ascii.h"
#include "mime/charset/utf8.h"
#include "mime/fingerprint/mumhash.h"
#include "mime/text/boilerplate.h"
#include "mime/words/letter_fold.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kWordBytesMax = 40;  // longer ones are keys and codes
constexpr std::size_t kWordBytesUsual = 6;
constexpr std::size_t kTellingLettersMin = 4;
constexpr std::size_t kSpacedLettersMin = 3;   // "v i a", not "I, a"
constexpr std::size_t kNoticeWordsMin = 4;     // for a paragraph that is all boilerplate:
constexpr std::size_t kNoticeShare = 5;        // a fifth of its words; other text has a twentieth
constexpr std::size_t kRuleBytesMin = 5;       // "-----"
constexpr std::size_t kGreetingBytesMax = 80;  // a greeting and a name

/// The size of the letter at the front of `text`, which is folded and so valid UTF-8.
std::size_t letter_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return std::min(size, text.size());
}

/// Whether a letter is of a script without spaces: South East Asian, CJK, Hangul, or above the BMP.
bool is_dense(std::string_view letter) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(letter[i]); };
  if (letter.size() == 4) return byte(0) == 0xF0 && byte(1) >= 0xA0;  // U+20000 on
  if (letter.size() < 3) return false;
  const std::uint32_t code = (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
  return (code >= 0x0E00 && code < 0x0F00) || (code >= 0x1000 && code < 0x10A0) ||
         (code >= 0x1780 && code < 0x1800) || (code >= 0x2E80 && code < 0xA4D0) ||
         (code >= 0xAC00 && code < 0xFB00);
}

/// The bytes of words: folded ASCII letters and digits, all other letters, apostrophes.
constexpr auto kWordBytes = [] {
  std::array<bool, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const char c = static_cast<char>(i);
    table[i] = ascii::is_alnum(c) || ascii::is_high(c) || c == '\'';
  }
  return table;
}();
bool is_word_byte(char c) { return kWordBytes[static_cast<unsigned char>(c)]; }

std::size_t count_letters(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_utf8_continuation));
}

/// Whether `text` (ASCII, no spaces) is a host name, with or without a path.
bool is_host(std::string_view text) {
  while (!text.empty() && !ascii::is_alnum(text.front())) text.remove_prefix(1);
  std::size_t label = 0;
  bool dotted = false;
  bool digit = false;  // in this label: "1.5kg" is not a host
  for (const char c : text) {
    if (ascii::is_alnum(c) || c == '-') {
      ++label;
      digit = digit || c == '0';
    } else if (c == '.' && label > 0) {
      dotted = true;
      digit = false;
      label = 0;
    } else {
      break;
    }
  }
  return dotted && label >= 2 && !digit;
}

constexpr ascii::CharSet kLinkMarks(":@.");  ///< every link has one of them

/// The begin of a link or address in a stretch without spaces, or npos.
std::size_t find_link(std::string_view stretch) {
  const std::size_t slashes = stretch.find("://");
  if (slashes != std::string_view::npos) {
    std::size_t begin = slashes;
    while (begin > 0 && ascii::is_alnum(stretch[begin - 1])) --begin;
    return begin;
  }
  const std::size_t at = stretch.find('@');
  if (at != std::string_view::npos && at > 0 && at + 1 < stretch.size() &&
      ascii::is_alnum(stretch[at - 1]) && ascii::is_alnum(stretch[at + 1])) {
    return 0;
  }
  return is_host(stretch) ? 0 : std::string_view::npos;
}

/// Puts the words of a text together, paragraph by paragraph.
class TextBuilder {
 public:
  explicit TextBuilder(Notices notices) : notices_(notices) {}

  [[nodiscard]] bool is_full() const { return text_.words.size() >= kRobustWordsMax; }

  void add(std::string_view word, std::size_t letters) {
    if (is_full() || paragraph_.size() >= kRobustWordsMax) return;
    if (notices_ == Notices::kKept) return text_.words.add(word);
    if (is_boilerplate(word)) {
      ++notice_words_;
      text_.cut = true;
      return;
    }
    paragraph_.push_back({word.size(), letters >= kTellingLettersMin});
    paragraph_letters_ += word;
  }

  void reserve(std::size_t words) { text_.words.reserve(words, words * 2 * kWordBytesUsual); }

  /// Adds the words of the paragraph, unless it is a notice or notices are kept.
  void end_paragraph() {
    if (!is_notice()) take_paragraph();
    paragraph_.clear();
    paragraph_letters_.clear();
    notice_words_ = 0;
  }

  RobustText take() { return std::move(text_); }

 private:
  [[nodiscard]] bool is_notice() const {
    return notice_words_ >= kNoticeWordsMin &&
           notice_words_ * kNoticeShare >= notice_words_ + paragraph_.size();
  }

  void take_paragraph() {
    std::string_view rest = paragraph_letters_;
    for (const auto& [bytes, telling] : paragraph_) {
      if (text_.words.size() >= kRobustWordsMax) return;
      text_.words.add(rest.substr(0, bytes));
      rest.remove_prefix(bytes);
      if (telling) count_telling(text_.words.size() - 1);
    }
  }

  /// A counted word of `text_`.
  struct Counted {
    std::uint64_t tag = 0;
    std::size_t number = 0;
  };

  void count_telling(std::size_t number) {
    if (text_.is_telling() && text_.own_words >= kRobustOwnWordsMin) return;
    const std::string_view word = text_.words[number];
    const Counted one{fingerprint::mumhash(word, 0), number};
    if (!text_.is_telling()) count(one, telling_, text_.telling_words);
    if (text_.own_words >= kRobustOwnWordsMin) return;
    if (!is_common(word)) {
      count(one, own_, text_.own_words);
    } else if (text_.common_words < kRobustCommonWordsMax) {
      count(one, common_, text_.common_words);
    }
  }

  /// Counts a word that is not among the first `counted` of `words`. Compares letters, not only
  /// tags: a sender could choose different words with the same tag.
  void count(const Counted& one, std::span<Counted> words, std::size_t& counted) const {
    const auto is_same = [&](const Counted& other) {
      return other.tag == one.tag && text_.words[other.number] == text_.words[one.number];
    };
    if (std::ranges::none_of(words.first(counted), is_same)) words[counted++] = one;
  }

  struct Word {
    std::size_t bytes = 0;  ///< of paragraph_letters_
    bool telling = false;
  };

  Notices notices_;
  RobustText text_;
  std::array<Counted, kRobustTellingWordsMin> telling_;  ///< as many as are counted
  std::array<Counted, kRobustOwnWordsMin> own_;
  std::array<Counted, kRobustCommonWordsMax> common_;
  std::vector<Word> paragraph_;    ///< the words of the paragraph so far, without boilerplate
  std::string paragraph_letters_;  ///< their letters, concatenated
  std::size_t notice_words_ = 0;   ///< boilerplate words of the paragraph
};

/// Reads a text for all who want its words.
class RobustReader {
 public:
  RobustReader(TextForm form, std::span<TextBuilder> texts) : form_(form), texts_(texts) {}

  void read(std::string_view content) {
    content = content.substr(0, kRobustTextBytesMax);
    Footer footer(content);
    const std::size_t bytes = content.size();
    const std::size_t words = std::min(bytes / kWordBytesUsual, kRobustWordsMax);
    for (TextBuilder& text : texts_) text.reserve(words);
    std::size_t letters = 0;
    std::string line;
    while (!content.empty() && !are_full() && !ended_) {
      const std::size_t end = std::min(content.find('\n'), content.size());
      std::string_view raw = content.substr(0, end);
      if (raw.ends_with('\r')) raw.remove_suffix(1);
      line.clear();
      fold_letters(raw, line);
      begins_footer_ =
          is_rule(ascii::trim_space(line)) && footer.may_begin_at(bytes - content.size(), letters);
      letters += line.size();
      read_line(line);
      if (form_ == TextForm::kHtml) end_paragraph();
      content.remove_prefix(std::min(end + 1, content.size()));
    }
    end_paragraph();
  }

 private:
  void read_line(std::string_view line) {
    ended_ = begun_ && (line == "--" || line == "-- ");
    line = ascii::trim_space(line);
    if (line.empty()) {
      below_rule_ = false;
      end_paragraph();
      return;
    }
    if (line.front() == '>' || ended_) return;
    const bool attribution = is_attribution(line);
    const bool other = begins_other_message(line);
    // If nothing is above it, the forwarded text is the message itself: spam does that.
    ended_ = begun_ && (other || (attribution && form_ == TextForm::kHtml));
    if (attribution || other) return;
    below_rule_ = below_rule_ || begins_footer_;
    if (below_rule_) return;
    if (!begun_) line = behind_greeting(line);
    begun_ = true;
    while (!line.empty()) read_stretch(line);
  }

  static bool is_rule(std::string_view line) {
    static constexpr ascii::CharSet kInk("_-=*~#");
    return !line.empty() && kInk.has(line.front()) &&
           std::min(line.find_first_not_of(line.front()), line.size()) >= kRuleBytesMin;
  }

  /// `line` without "Dear Mr Miller,"; empty for a short line that begins like this.
  static std::string_view behind_greeting(std::string_view line) {
    const std::size_t word = std::min(line.find_first_of(" ,.!:;"), line.size());
    if (!is_greeting(line.substr(0, word))) return line;
    const std::size_t end = line.find_first_of(",!:;");
    if (end != std::string_view::npos && end <= kGreetingBytesMax) return line.substr(end + 1);
    return line.size() <= kGreetingBytesMax ? std::string_view() : line;
  }

  /// Takes the text before the next space. A link in it reaches to its end or to the first dense
  /// letter.
  void read_stretch(std::string_view& line) {
    const std::size_t size = std::min(line.find(' '), line.size());
    const std::string_view stretch = line.substr(0, size);
    line.remove_prefix(std::min(size + 1, line.size()));
    for (std::size_t at = 0; at < stretch.size();) {
      const std::size_t end = run_end(stretch, at);
      const std::string_view run = stretch.substr(at, end - at);
      const std::size_t link = may_link_ ? find_link(run) : std::string_view::npos;
      read_words(run.substr(0, link));
      at = end;
    }
  }

  /// The end of the run of dense or of other letters that begins at `at`.
  std::size_t run_end(std::string_view stretch, std::size_t at) {
    dense_run_ = is_dense(stretch.substr(at, letter_bytes(stretch.substr(at))));
    may_link_ = false;
    while (at < stretch.size()) {
      std::size_t bytes = 1;
      if (ascii::is_high(stretch[at])) {
        bytes = letter_bytes(stretch.substr(at));
        if (is_dense(stretch.substr(at, bytes)) != dense_run_) break;
      } else {
        if (dense_run_) break;
        may_link_ = may_link_ || kLinkMarks.has(stretch[at]);
      }
      at += bytes;
    }
    return at;
  }

  void read_words(std::string_view run) {
    if (dense_run_) return add_pairs(run);
    for (std::size_t at = 0; at < run.size();) {
      std::size_t end = at;
      bool has_digit = false;
      for (; end < run.size() && is_word_byte(run[end]); ++end) has_digit |= run[end] == '0';
      if (end > at && !has_digit) add_word(run.substr(at, end - at));
      at = end + 1;
    }
  }

  void add_pairs(std::string_view run) {
    end_spaced();
    std::size_t first = letter_bytes(run);
    if (first == run.size()) return add(run, kTellingLettersMin);
    while (first < run.size()) {
      const std::size_t second = letter_bytes(run.substr(first));
      add(run.substr(0, first + second), kTellingLettersMin);
      run.remove_prefix(first);
      first = second;
    }
  }

  void add_word(std::string_view word) {
    if (word.find('\'') != std::string_view::npos) {
      plain_.assign(word);
      plain_.erase(std::remove(plain_.begin(), plain_.end(), '\''), plain_.end());
      word = plain_;
    }
    const std::size_t letters = count_letters(word);
    if (letters == 1) {
      spaced_ += word;
      ++spaced_letters_;
      return;
    }
    end_spaced();
    if (letters > 0) add(word, letters);
  }

  /// Joins single letters to a word if there are enough of them.
  void end_spaced() {
    if (spaced_letters_ == 0) return;
    if (spaced_letters_ >= kSpacedLettersMin) {
      add(spaced_, spaced_letters_);
    } else {
      std::string_view rest = spaced_;
      while (!rest.empty()) {
        const std::size_t bytes = letter_bytes(rest);
        add(rest.substr(0, bytes), 1);
        rest.remove_prefix(bytes);
      }
    }
    spaced_.clear();
    spaced_letters_ = 0;
  }

  void add(std::string_view word, std::size_t letters) {
    if (word.size() > kWordBytesMax) return;
    for (TextBuilder& text : texts_) text.add(word, letters);
  }

  void end_paragraph() {
    end_spaced();
    for (TextBuilder& text : texts_) text.end_paragraph();
  }

  [[nodiscard]] bool are_full() const {
    return std::ranges::all_of(texts_, [](const TextBuilder& text) { return text.is_full(); });
  }

  TextForm form_;
  std::span<TextBuilder> texts_;
  std::string plain_;   ///< a word without its apostrophes
  std::string spaced_;  ///< single letters seen one after another
  std::size_t spaced_letters_ = 0;
  bool dense_run_ = false;      ///< of the current run
  bool may_link_ = false;       ///< the run has a character that every link has
  bool begins_footer_ = false;  ///< the present line rules it off
  bool below_rule_ = false;
  bool ended_ = false;  ///< a signature or another message has begun
  bool begun_ = false;  ///< the first line with text was read
};

}  // namespace

bool RobustText::is_common(std::size_t text_words) const {
  // Measured on messages of templates and on spam: tests/bench/README.md, "Templates".
  constexpr std::size_t kShare = 12;  // five in twelve
  constexpr std::size_t kOwnInShare = 5;
  constexpr std::size_t kLittle = 24;
  constexpr std::size_t kMuch = 64;
  if (own_words >= kRobustOwnWordsMin) return false;
  const std::size_t all = own_words + common_words;
  if (all == 0) return cut;  // a text of codes only
  return own_words * kShare <= all * kOwnInShare || (all < kLittle && text_words >= kMuch);
}

RobustText robust_words(std::string_view content, TextForm form, Notices notices) {
  TextBuilder text(notices);
  RobustReader(form, {&text, 1}).read(content);
  return text.take();
}

RobustTexts robust_texts(std::string_view content, TextForm form) {
  std::array texts = {TextBuilder(Notices::kRemoved), TextBuilder(Notices::kKept)};
  RobustReader(form, texts).read(content);
  return {.own = texts[0].take(), .with_notices = texts[1].take().words};
}

}  // namespace shingled::mime
