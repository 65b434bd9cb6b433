#include "config/document/scalar_steps.h"

#include <algorithm>

namespace shingled::config {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// A place in the text that goes forward.
class Cursor {
 public:
  Cursor(std::string_view text, const Position& position) : rest_(text), position_(position) {}

  /// '\0' at the end.
  [[nodiscard]] char letter() const { return rest_.empty() ? '\0' : rest_.front(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] const Position& position() const { return position_; }

  void skip(std::size_t count = 1) {
    for (; count > 0 && !rest_.empty(); --count) {
      if (letter() == '\n') {
        if (position_.origin == Position::Origin::kFile) ++position_.line;
        position_.column = 0;
      }
      ++position_.column;
      rest_.remove_prefix(1);
    }
  }
  void skip_blanks() {
    while (is_blank(letter())) skip();
  }
  void skip_word() {
    while (!rest_.empty() && !is_blank(letter())) skip();
  }
  void skip_line() { skip(std::min(rest_.find('\n'), rest_.size())); }

 private:
  std::string_view rest_;
  Position position_;
};

enum class Style { kPlain, kSingle, kDouble, kBlock };

/// Goes to the end of what stands before the first letter of the value.
Style open(Cursor& cursor) {
  while (cursor.letter() == '!' || cursor.letter() == '&') {  // a tag, an anchor
    cursor.skip_word();
    cursor.skip_blanks();
  }
  switch (cursor.letter()) {
    case '"':
      cursor.skip();
      return Style::kDouble;
    case '\'':
      cursor.skip();
      return Style::kSingle;
    case '|':
    case '>':
      cursor.skip_line();
      return Style::kBlock;
    default:
      return Style::kPlain;
  }
}

/// The bytes of an escape in the text, and of what it stands for.
struct Escape {
  std::size_t written = 2;
  std::size_t means = 1;
};

Escape escape_at(std::string_view text) {
  const char kind = text.size() > 1 ? text[1] : '\0';
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  Escape out{2 + digits, 1};
  if (kind == 'N' || kind == '_') out.means = 2;  // U+0085, U+00A0
  if (kind == 'L' || kind == 'P') out.means = 3;  // U+2028, U+2029
  if (digits == 0) return out;
  unsigned long code = 0;
  for (const char c : text.substr(2, digits)) {
    const bool digit = c >= '0' && c <= '9';
    code = code * 16 + static_cast<unsigned long>(digit ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  out.means = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  return out;
}

/// Goes to the next letter of the value that is not blank.
void skip_between(Cursor& cursor, Style style) {
  cursor.skip_blanks();
  while (style == Style::kDouble && cursor.letter() == '\\' && cursor.rest().size() > 1 &&
         (cursor.rest()[1] == '\n' || cursor.rest()[1] == '\r')) {  // the line continues
    cursor.skip();
    cursor.skip_blanks();
  }
}

/// Goes after the letter `c` of the value; false if the text has another one. Gives the bytes of
/// the value that it is.
bool take(Cursor& cursor, Style style, char c, std::size_t& bytes) {
  bytes = 1;
  if (style == Style::kDouble && cursor.letter() == '\\') {
    const Escape escape = escape_at(cursor.rest());
    bytes = escape.means;
    cursor.skip(escape.written);
    return true;
  }
  if (is_blank(c) && cursor.letter() != c) return true;  // folded
  if (cursor.letter() != c) return false;
  cursor.skip(style == Style::kSingle && c == '\'' ? 2 : 1);
  return true;
}

bool follows(const ScalarStep& last, std::size_t offset, const Position& position) {
  return position.line == last.position.line &&
         position.column == last.position.column + static_cast<int>(offset - last.offset);
}

}  // namespace

std::vector<ScalarStep> scalar_steps(std::string_view text, std::size_t begin,
                                     const Position& position, std::string_view value) {
  const std::string_view source = text.substr(std::min(begin, text.size()));
  if (source.starts_with(value) && value.find('\n') == std::string_view::npos) return {};
  Cursor cursor(source, position);
  const Style style = open(cursor);
  std::vector<ScalarStep> steps;
  const auto note = [&](std::size_t offset) {
    if (steps.empty() || !follows(steps.back(), offset, cursor.position()))
      steps.push_back({offset, cursor.position()});
  };
  std::size_t i = 0;
  while (i < value.size()) {
    if (!is_blank(value[i])) skip_between(cursor, style);
    note(i);
    std::size_t bytes = 0;
    if (!take(cursor, style, value[i], bytes)) return steps;
    i += bytes;
  }
  note(i);  // of what is missing at the end
  return steps;
}

}  // namespace shingled::config
