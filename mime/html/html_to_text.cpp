#include "mime/html/html_to_text.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/base/ascii.h"
#include "mime/charset/utf8.h"
#include "mime/html/element_list.h"
#include "mime/html/entities.h"
#include "mime/html/html_tree.h"
#include "mime/html/quote_marks.h"
#include "mime/html/shown_view.h"
#include "mime/html/visibility.h"

namespace shingled::mime {
namespace {

constexpr Steps kStepsAPrintedByte = 20;  ///< with references

constexpr std::size_t kLinkTextBytesMin = 5;
constexpr std::size_t kLinkUrlBytesMax =
    2048;                                  ///< enough to tell whether it is a URL (url_finder.h)
constexpr std::size_t kSpaceBytesMax = 3;  ///< of a Unicode white space character

/// The length of the Unicode white space character at the start of `text`, or 0.
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

/// The length of the Unicode white space character at the end of `text`, or 0.
std::size_t trailing_space(std::string_view text) {
  for (std::size_t length = 1; length <= std::min(kSpaceBytesMax, text.size()); ++length) {
    if (leading_space(text.substr(text.size() - length)) == length) return length;
  }
  return 0;
}

/// Prints the visible text of `tree`, whose document is `html`, into `text.content` and its links
/// into `text.links` (HASHING.md 7.3, 7.5).
/// Cost: linear in the document and in the text. The text may be much longer than the document:
/// like rspamd, it repeats what precedes a broken `<?`.
class Printer {
 public:
  Printer(const HtmlTree& tree, const std::vector<Appearance>& appearance, std::string_view html,
          HtmlText& text, const HtmlLimits& limits, WorkMeter& meter, QuoteMarks* marks)
      : tree_(tree),
        appearance_(appearance),
        html_(html),
        text_(text),
        content_(text.content),
        text_bytes_max_(limits.text_bytes_max),
        hidden_bytes_max_(limits.hidden_bytes_max),
        meter_(meter),
        marks_(marks) {}

  void print() {
    keep_titles();
    begun_ = true;
    if (tree_.root != kNoElement) print_tree();
    if (tree_.overflow_at < html_.size()) {
      text_.truncated = true;
      append(html_.substr(tree_.overflow_at));
    }
    trim_links();
    trim_end();
  }

 private:
  /// An element that is being printed.
  struct Frame {
    ElementIndex element = 0;
    ElementIndex next_child = kNoElement;
    std::size_t at = 0;          ///< the document is printed up to this offset
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
        if (marks_ != nullptr) marks_->enter(child, content_.size(), false);
        advance(*end);
      } else {
        enter(child);
      }
    }
  }

  /// Never goes back, even if children are closed out of order.
  void advance(std::size_t to) { frames_.back().at = std::max(frames_.back().at, to); }

  /// Prints an element whose content is never printed; returns its end, or nullopt for others.
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
    if (marks_ != nullptr) marks_->enter(index, content_.size(), true);
    frames_.push_back({index, element.first_child, element.content, content_.size()});
    margin(frames_.back());
  }

  std::size_t leave() {
    const Frame frame = frames_.back();
    const Element& element = tree_.elements[frame.element];
    run(frame, element.close_start);
    if (marks_ != nullptr) {
      marks_->leave(frame.element, frame.text_start,
                    std::string_view(content_).substr(frame.text_start));
    }
    margin(frame);
    if (appearance_[frame.element].visibility != Visibility::kHidden) {
      if (element.is("a")) note_link(frame);
      if (element.is("img")) print_alternative(element);
    }
    frames_.pop_back();
    return element.close_end;
  }

  /// Prints the document from the position of `frame` to `end`.
  void run(const Frame& frame, std::size_t end) {
    if (end <= frame.at) return;
    const std::string_view raw = html_.substr(frame.at, end - frame.at);
    switch (appearance_[frame.element].visibility) {
      case Visibility::kShown:
        append(raw);
        break;
      case Visibility::kTransparent:
        append_blanked(raw);
        keep_hidden(raw);
        break;
      case Visibility::kHidden:
        if (!is_comment(frame)) keep_hidden(raw);
        break;
    }
  }

  /// Appends a run of text.
  void append(std::string_view raw) {
    if (raw.empty() || full()) return;
    raw = raw.substr(0, text_bytes_max_ - content_.size());
    if (!meter_.spend(raw.size(), kStepsAPrintedByte)) return;
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

  /// Prints null bytes as U+FFFD, which is longer.
  void append_patched(std::string_view raw, std::size_t bytes_max) {
    std::string patched;
    for (const char& c : raw) {
      const std::string_view piece = c == '\0' ? kReplacementCharacter : std::string_view(&c, 1);
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

  [[nodiscard]] bool is_comment(const Frame& frame) const {
    return tree_.elements[frame.element].role == ElementRole::kComment;
  }

  void keep_titles() {
    for (ElementIndex i = 0; i < tree_.elements.size(); ++i) {
      const Element& element = tree_.elements[i];
      if (element.role != ElementRole::kElement || !element.is("title")) continue;
      const std::size_t begin = text_.hidden.size();
      keep_hidden(html_.substr(element.content, element.close_start - element.content));
      if (marks_ != nullptr) marks_->hide_title(tree_, i, begin);
    }
  }

  /// Keeps a run of text that no reader sees.
  void keep_hidden(std::string_view raw) {
    std::string& hidden = text_.hidden;
    if (raw.empty() || hidden.size() >= hidden_bytes_max_) return;
    raw = raw.substr(0, hidden_bytes_max_ - hidden.size());
    if (!meter_.spend(raw.size(), kStepsAPrintedByte)) return;
    if (!hidden.empty() && !ascii::is_space(hidden.back())) hidden += ' ';
    if (marks_ != nullptr && begun_) marks_->hide(hidden.size(), content_.size());
    append_decoded(hidden, raw, Spaces::kCollapse);
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
    spaces_end_ = std::min(spaces_end_, content_.size());
    spaces_begin_ = std::min(spaces_begin_, spaces_end_);
    append_char(space);
  }

  /// Separates words.
  void pad() {
    if (!content_.empty() && !ascii::is_space(content_.back())) append_char(' ');
  }

  void print_alternative(const Element& image) {
    const Attribute* alternative = tree_.attribute(image, AttributeName::kAlt);
    if (alternative == nullptr) return;
    pad();
    if (full()) return;
    content_ += alternative->value(text_bytes_max_).substr(0, text_bytes_max_ - content_.size());
    pad();
  }

  void note_link(const Frame& frame) {
    const Attribute* href = tree_.attribute(tree_.elements[frame.element], AttributeName::kHref);
    if (href == nullptr || content_.size() < frame.text_start + kLinkTextBytesMin) return;
    const std::size_t end = text_end();
    if (end <= frame.text_start) return;
    std::string url = href->value(kLinkUrlBytesMax);
    if (url.empty()) return;
    text_.links.push_back({frame.text_start, end - frame.text_start, std::move(url)});
  }

  /// The end of the text printed so far without its trailing white space. Remembered, as nested
  /// links end at the same place.
  std::size_t text_end() {
    const std::string_view content = content_;
    std::size_t at = content.size();
    for (;;) {
      if (at == spaces_end_) at = spaces_begin_;
      const std::size_t length = trailing_space(content.substr(0, at));
      if (length == 0) break;
      at -= length;
    }
    spaces_begin_ = at;
    spaces_end_ = content.size();
    return at;
  }

  /// Removes the white space at the front of the links. Many links may share it.
  void trim_links() {
    std::vector<LinkSpan*> by_offset;
    for (LinkSpan& link : text_.links) by_offset.push_back(&link);
    std::sort(by_offset.begin(), by_offset.end(),
              [](const LinkSpan* a, const LinkSpan* b) { return a->offset < b->offset; });
    const std::string_view content = content_;
    std::size_t end = 0;  // of the leading white space of the link before
    for (LinkSpan* link : by_offset) {
      const bool known = link->offset < end && !is_utf8_continuation(content[link->offset]);
      if (!known) end = link->offset;
      while (const std::size_t length = leading_space(content.substr(end))) end += length;
      link->space = std::min(end - link->offset, link->length);
      link->length -= link->space;
    }
  }

  /// Removes white space at the end, also of links; a final newline stays.
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
  std::size_t hidden_bytes_max_;
  WorkMeter& meter_;
  QuoteMarks* marks_;   ///< null: nobody asks what is quoted
  bool begun_ = false;  ///< the titles are kept
  std::vector<Frame> frames_;
  std::size_t spaces_begin_ = 0;  ///< as text_end() found it
  std::size_t spaces_end_ = 0;    ///< between the two is only white space
};

constexpr Steps kStepsAnHtmlByte = 6;  // to find tags and attributes

}  // namespace

HtmlText html_to_text(std::string_view utf8, const HtmlLimits& limits, Compat compat,
                      WorkMeter& meter, Views views) {
  HtmlText text;
  text.truncated = utf8.size() > limits.input_bytes_max;
  const std::string_view html = utf8.substr(0, limits.input_bytes_max);
  if (!meter.spend(html.size(), kStepsAnHtmlByte)) return text;
  const HtmlTree tree = build_html_tree(html, limits.elements_max, compat, meter);
  const StyleSheet sheet = collect_style_sheet(tree, html, compat, limits.style_rules_max, meter);
  const std::vector<Appearance> appearance = compute_appearance(tree, sheet, compat, meter);
  if (meter.refused()) return text;
  const bool browser = views == Views::kRspamdAndBrowser;
  const std::vector<QuoteRole> roles = browser ? quote_roles(tree, html) : std::vector<QuoteRole>();
  QuoteMarks marks(roles);
  Printer(tree, appearance, html, text, limits, meter, browser ? &marks : nullptr).print();
  text.elements = list_elements(tree);
  if (!browser) return text;
  const auto seen = browser_appearance(tree, html, appearance, limits.style_rules_max, meter);
  if (!seen) {
    text.quotes = marks.take(tree, text.content.size());
    return text;
  }
  HtmlText shown;
  QuoteMarks shown_marks(roles);
  Printer(tree, *seen, html, shown, limits, meter, &shown_marks).print();
  text.quotes = shown_marks.take(tree, shown.content.size());
  text.seen = std::move(shown.content);
  text.hidden = std::move(shown.hidden);
  return text;
}

}  // namespace shingled::mime
