#include "mime/html/html_printer.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "mime/ascii.h"
#include "mime/html/entities.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kLinkTextBytesMin = 5;

/// The length of a Unicode white space character at the start of `text`, 0 if there is none.
std::size_t leading_space(std::string_view text) {
  if (text.empty()) return 0;
  if (ascii::is_space(text[0])) return 1;
  for (const std::string_view space :
       {"\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF",
        "\xE2\x81\x9F", "\xE3\x80\x80"}) {
    if (text.starts_with(space)) return space.size();
  }
  const bool wide = text.starts_with("\xE2\x80") && text.size() > 2 &&
                    static_cast<unsigned char>(text[2]) <= 0x8A;  // U+2000 to U+200A
  return wide ? 3 : 0;
}

std::string_view trim_unicode_space(std::string_view text) {
  while (const std::size_t length = leading_space(text)) text.remove_prefix(length);
  for (bool trimmed = true; trimmed;) {
    trimmed = false;
    for (std::size_t length = 1; length <= std::min<std::size_t>(3, text.size()); ++length) {
      if (leading_space(text.substr(text.size() - length)) != length) continue;
      text.remove_suffix(length);
      trimmed = true;
      break;
    }
  }
  return text;
}

class Printer {
 public:
  Printer(const HtmlTree& tree, const std::vector<Appearance>& appearance, std::string_view html,
          HtmlText& text, std::size_t text_bytes_max)
      : tree_(tree),
        appearance_(appearance),
        html_(html),
        text_(text),
        content_(text.content),
        text_bytes_max_(text_bytes_max) {}

  void print() {
    if (tree_.root != kNoElement) print_tree();
    if (tree_.overflow_at < html_.size()) {
      text_.truncated = true;
      append(html_.substr(tree_.overflow_at));
    }
    trim_end();
  }

 private:
  /// An element that is being printed.
  struct Frame {
    ElementIndex element = 0;
    ElementIndex next_child = kNoElement;
    std::size_t at = 0;          ///< the document is printed up to here
    std::size_t text_start = 0;  ///< content length when the element began
  };

  void print_tree() {
    enter(tree_.root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next_child == kNoElement) {
        const std::size_t end = leave();
        if (!frames_.empty()) advance(end);
        continue;
      }
      const ElementIndex child = frame.next_child;
      frame.next_child = tree_.elements[child].next_sibling;
      run(frame, tree_.elements[child].tag_start);
      if (const auto end = print_alone(tree_.elements[child])) {
        advance(*end);
      } else {
        enter(child);
      }
    }
  }

  /// Children closed out of order never take the print back.
  void advance(std::size_t to) { frames_.back().at = std::max(frames_.back().at, to); }

  /// Prints the elements whose content is never looked at; returns where they end.
  std::optional<std::size_t> print_alone(const Element& element) {
    if (element.is("br") || element.is("hr")) {
      append_char('\n');
      return element.content;
    }
    if (element.unprinted) return element.close_end;
    return std::nullopt;
  }

  void enter(ElementIndex index) {
    const Element& element = tree_.elements[index];
    frames_.push_back({index, element.first_child, element.content, content_.size()});
    margin(frames_.back());
  }

  std::size_t leave() {
    const Frame frame = frames_.back();
    const Element& element = tree_.elements[frame.element];
    run(frame, element.close_start);
    margin(frame);
    if (appearance_[frame.element].visibility != Visibility::kHidden) {
      if (element.is("a")) note_link(frame);
      if (element.is("img")) print_alternative(element);
    }
    frames_.pop_back();
    return element.close_end;
  }

  /// Prints the document from where the frame stands up to `end`.
  void run(const Frame& frame, std::size_t end) {
    if (end <= frame.at) return;
    const std::string_view raw = html_.substr(frame.at, end - frame.at);
    switch (appearance_[frame.element].visibility) {
      case Visibility::kShown:
        append(raw);
        break;
      case Visibility::kTransparent:
        append_blanked(raw);
        break;
      case Visibility::kHidden:
        break;
    }
  }

  /// Puts one run of text behind what is there.
  void append(std::string_view raw) {
    if (raw.empty() || full()) return;
    raw = raw.substr(0, text_bytes_max_ - content_.size());
    if (!content_.empty() && !ascii::is_space(content_.back()) && ascii::is_space(raw.front())) {
      content_ += ' ';
      raw.remove_prefix(1);
    }
    if (raw.find('\0') == std::string_view::npos) {
      append_decoded(content_, raw, Spaces::kCollapse);
      return;
    }
    append_patched(raw, text_bytes_max_ - content_.size());
  }

  /// A null byte is shown as U+FFFD, which is longer.
  void append_patched(std::string_view raw, std::size_t bytes_max) {
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
    std::string patched;
    for (const char& c : raw) {
      const std::string_view piece = c == '\0' ? kReplacement : std::string_view(&c, 1);
      if (patched.size() + piece.size() > bytes_max) {
        text_.truncated = true;
        break;
      }
      patched += piece;
    }
    append_decoded(content_, patched, Spaces::kCollapse);
  }

  void append_blanked(std::string_view raw) {
    const std::size_t start = content_.size();
    append(raw);
    std::replace_if(
        content_.begin() + static_cast<std::ptrdiff_t>(start), content_.end(),
        [](char c) { return !ascii::is_space(c); }, ' ');
  }

  [[nodiscard]] bool full() {
    const bool full = content_.size() >= text_bytes_max_;
    text_.truncated = text_.truncated || full;
    return full;
  }

  void append_char(char c) {
    if (!full()) content_ += c;
  }

  void margin(const Frame& frame) {
    const Appearance& look = appearance_[frame.element];
    if (look.kind == ElementKind::kInline || look.visibility != Visibility::kShown) return;
    const char space = look.kind == ElementKind::kBlock ? '\n' : ' ';
    if (content_.empty() || content_.back() == space || content_.back() == '\n') return;
    while (content_.size() > frame.text_start && content_.back() == ' ') content_.pop_back();
    append_char(space);
  }

  /// Keeps words apart.
  void pad() {
    if (!content_.empty() && !ascii::is_space(content_.back())) append_char(' ');
  }

  void print_alternative(const Element& image) {
    const std::string* alternative = tree_.attribute(image, AttributeName::kAlt);
    if (alternative == nullptr) return;
    pad();
    if (full()) return;
    content_ += alternative->substr(0, text_bytes_max_ - content_.size());
    pad();
  }

  void note_link(const Frame& frame) {
    const std::string* url = tree_.attribute(tree_.elements[frame.element], AttributeName::kHref);
    if (url == nullptr || url->empty() || content_.size() <= frame.text_start) return;
    const std::string_view printed = std::string_view(content_).substr(frame.text_start);
    if (printed.size() < kLinkTextBytesMin) return;
    const std::string_view trimmed = trim_unicode_space(printed);
    if (trimmed.empty()) return;
    const auto space = static_cast<std::size_t>(trimmed.data() - printed.data());
    text_.links.push_back({frame.text_start, trimmed.size(), *url, space});
  }

  /// White space at the end goes, also from links; a newline at the very end stays as one.
  void trim_end() {
    const bool newline = !content_.empty() && content_.back() == '\n';
    while (!content_.empty() && ascii::is_space(content_.back())) content_.pop_back();
    if (newline) content_ += '\n';
    for (LinkSpan& link : text_.links) {
      link.offset = std::min(link.offset, content_.size());
      link.length = std::min(link.length, content_.size() - link.offset);
    }
  }

  const HtmlTree& tree_;
  const std::vector<Appearance>& appearance_;
  std::string_view html_;
  HtmlText& text_;
  std::string& content_;
  std::size_t text_bytes_max_;
  std::vector<Frame> frames_;
};

}  // namespace

void print_html(const HtmlTree& tree, const std::vector<Appearance>& appearance,
                std::string_view html, HtmlText& text, std::size_t text_bytes_max) {
  Printer(tree, appearance, html, text, text_bytes_max).print();
}

}  // namespace shingled::mime
