#include "mime/text/oneline.h"

#include <array>

#include "config/base/ascii.h"

namespace shingled::mime {

namespace {

/// The size of U+00AD U+200B U+200C U+200D U+FEFF at the front of `text`, or 0.
std::size_t zero_width_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.size() >= 2 && byte(0) == 0xC2 && byte(1) == 0xAD) return 2;
  if (text.size() < 3) return 0;
  if (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0x8B && byte(2) <= 0x8D) return 3;
  if (byte(0) == 0xEF && byte(1) == 0xBB && byte(2) == 0xBF) return 3;
  return 0;
}

/// Bytes that need a closer look: breaks, angles and the first bytes of zero-width characters.
constexpr std::array<bool, 256> kSpecial = [] {
  std::array<bool, 256> table{};
  for (const unsigned c : {0x0Au, 0x0Du, 0x3Cu, 0x3Eu, 0xC2u, 0xE2u, 0xEFu}) table[c] = true;
  return table;
}();

bool is_special(char c) { return kSpecial[static_cast<unsigned char>(c)]; }

class OnelineBuilder {
 public:
  OnelineBuilder(std::string_view content, TextForm form, TextBytes bytes)
      : content_(content), form_(form), raw_(bytes == TextBytes::kRaw) {
    line_.text.reserve(content.size() + 1);
  }

  Oneline build() {
    while (at_ < content_.size()) {
      const char c = content_[at_];
      if (c == '\r') {
        on_carriage_return();
      } else if (c == '\n') {
        on_line_feed();
      } else if (after_ != After::kText) {
        on_first_of_line(c);
      } else {
        on_text();
      }
    }
    flush();
    if (after_ == After::kLineFeed && !spaced_) add_space_and_mark();
    return std::move(line_);
  }

 private:
  enum class After : std::uint8_t { kText, kCarriageReturn, kLineFeed };

  void on_carriage_return() {
    if (after_ == After::kText) {
      flush();
      spaced_ = false;
    } else if (after_ == After::kCarriageReturn && !spaced_) {
      add_space_and_mark();
    }
    angle_ = false;
    after_ = After::kCarriageReturn;
    segment_ = ++at_;
  }

  void on_line_feed() {
    if (after_ == After::kText) {
      flush();
      spaced_ = false;
      if (form_ == TextForm::kHtml || !angle_) add_space_and_mark();
    } else if (!spaced_) {
      add_space_and_mark();
    }
    angle_ = false;
    after_ = After::kLineFeed;
    segment_ = ++at_;
  }

  void on_first_of_line(char c) {
    if (!spaced_) mark();
    if (c == ' ') {
      if (!spaced_) line_.text += ' ';
      at_ = std::min(content_.find_first_not_of(' ', at_), content_.size());
    }
    after_ = After::kText;
    segment_ = at_;
  }

  void on_text() {
    const char c = content_[at_];
    if (!is_special(c)) {
      for (++at_; at_ < content_.size() && ascii::is_high(content_[at_]); ++at_) {
        if (is_special(content_[at_])) return;
      }
      at_ = ascii::find_any_or_high<'\n', '\r', '<', '>'>(content_, at_);
    } else if (c == '<' || c == '>') {
      angle_ = c == '<';
      ++at_;
    } else {
      on_possible_zero_width();
    }
  }

  /// Drops a run of zero-width characters. A single one stays at the start of a segment and at the
  /// end of the text.
  void on_possible_zero_width() {
    const std::size_t first = raw_ ? 0 : zero_width_bytes(content_.substr(at_));
    if (first == 0) {
      ++at_;
      return;
    }
    std::size_t end = at_ + first;
    while (const std::size_t bytes = zero_width_bytes(content_.substr(end))) end += bytes;
    const bool alone = end == at_ + first;
    if (!alone || (at_ != segment_ && end != content_.size())) {
      flush();
      segment_ = end;
    }
    at_ = end;
  }

  void flush() {
    line_.text += content_.substr(segment_, at_ - segment_);
    segment_ = at_;
  }
  void mark() { line_.line_starts.push_back(static_cast<std::uint32_t>(line_.text.size())); }
  void add_space_and_mark() {
    line_.text += ' ';
    spaced_ = true;
    mark();
  }

  std::string_view content_;
  TextForm form_;
  bool raw_;
  Oneline line_;
  std::size_t at_ = 0;
  std::size_t segment_ = 0;  ///< start of the text that is not copied yet
  After after_ = After::kText;
  bool spaced_ = false;  ///< the space of this run of breaks is written
  bool angle_ = false;   ///< a `<` is open
};

}  // namespace

Oneline make_oneline(std::string_view content, TextForm form, TextBytes bytes) {
  return OnelineBuilder(content, form, bytes).build();
}

}  // namespace shingled::mime
