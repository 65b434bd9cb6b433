#include "mime/html/css_tokenizer.h"

#include <algorithm>

#include "config/base/ascii.h"
#include "mime/model/escapes.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kEscapeDigitsMax = 6;
/// Digits of a number that are read; more do not matter for sizes and colours.
constexpr int kNumberDigitsMax = 15;

bool is_name_start(char c) {
  return ascii::is_alpha(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name(char c) { return is_name_start(c) || ascii::is_digit(c) || c == '-'; }

}  // namespace

void CssTokenizer::skip_comments() {
  for (;;) {
    const std::string_view rest = css_.substr(at_);
    if (rest.starts_with("/*")) {
      const std::size_t end = css_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? css_.size() : end + 2;
    } else if (rest.starts_with("<!--")) {
      at_ += 4;
    } else if (rest.starts_with("-->")) {
      at_ += 3;
    } else {
      return;
    }
  }
}

bool CssTokenizer::skip_value() {
  std::size_t depth = 0;
  while (at_ < css_.size()) {
    const char c = css_[at_];
    switch (c) {
      case '"':
      case '\'':
        at_ = std::min(css_.find(c, at_ + 1), css_.size() - 1) + 1;
        continue;
      case '/':
        if (css_.substr(at_).starts_with("/*")) {
          skip_comments();
          continue;
        }
        break;
      case '(':
      case '{':
      case '[':
        ++depth;
        break;
      case ')':
      case ']':
        if (depth > 0) --depth;
        break;
      case '}':
        if (depth == 0) return ++at_, false;
        --depth;
        break;
      case ';':
        if (depth == 0) return ++at_, true;
        break;
      default:
        break;
    }
    ++at_;
  }
  return false;
}

std::string_view CssTokenizer::read_name() {
  const std::size_t start = at_;
  while (at_ < css_.size() && is_name(css_[at_])) ++at_;
  return css_.substr(start, at_ - start);
}

CssToken CssTokenizer::next() {
  skip_comments();
  if (at_ >= css_.size()) return {};
  const char c = css_[at_];
  const char second = at_ + 1 < css_.size() ? css_[at_ + 1] : '\0';
  const char third = at_ + 2 < css_.size() ? css_[at_ + 2] : '\0';
  if (ascii::is_space(c)) {
    while (at_ < css_.size() && ascii::is_space(css_[at_])) ++at_;
    return {CssTokenKind::kSpace, " "};
  }
  if (c == '"' || c == '\'') {
    const std::size_t end = std::min(css_.find(c, at_ + 1), css_.size());
    const std::string_view text = css_.substr(at_ + 1, end - at_ - 1);
    at_ = std::min(end + 1, css_.size());
    return {CssTokenKind::kString, text};
  }
  if (c == '#' && is_name(second)) {
    ++at_;
    return {CssTokenKind::kHash, read_name()};
  }
  const bool sign = c == '-' || c == '+';
  if (ascii::is_digit(c) || ((sign || c == '.') && ascii::is_digit(second)) ||
      (sign && second == '.' && ascii::is_digit(third))) {
    return read_number();
  }
  if (is_name_start(c)) {
    const std::string_view name = read_name();
    if (at_ >= css_.size() || css_[at_] != '(') return {CssTokenKind::kIdent, name};
    ++at_;
    return {CssTokenKind::kFunction, name};
  }
  return {CssTokenKind::kDelim, css_.substr(at_++, 1)};
}

CssToken CssTokenizer::read_number() {
  const bool negative = css_[at_] == '-';
  if (negative || css_[at_] == '+') ++at_;
  double value = 0;
  double scale = 1;
  bool fraction = false;
  int digits = 0;
  for (; at_ < css_.size(); ++at_) {
    const char c = css_[at_];
    if (c == '.' && !fraction) {
      fraction = true;
    } else if (!ascii::is_digit(c)) {
      break;
    } else if (++digits <= kNumberDigitsMax) {
      value = value * 10 + (c - '0');
      if (fraction) scale *= 10;
    }
  }
  CssToken token{CssTokenKind::kNumber, {}, (negative ? -value : value) / scale};
  if (at_ < css_.size() && css_[at_] == '%') {
    token.text = css_.substr(at_++, 1);
  } else if (at_ < css_.size() && is_name_start(css_[at_])) {
    token.text = read_name();
  }
  return token;
}

void skip_block(CssTokenizer& css, std::size_t depth) {
  while (depth > 0) {
    const CssToken token = css.next();
    if (token.kind == CssTokenKind::kEnd) return;
    if (token.is('{')) ++depth;
    if (token.is('}')) --depth;
  }
}

std::string unescape_css(std::string_view css) {
  std::string plain;
  plain.reserve(css.size());
  for (std::size_t at = 0; at < css.size(); ++at) {
    const std::size_t escape = std::min(css.find('\\', at), css.size());
    plain += css.substr(at, escape - at);
    if (escape == css.size()) break;
    at = escape;
    std::size_t digits = 0;
    std::uint32_t value = 0;
    while (digits < kEscapeDigitsMax && at + 1 < css.size() && is_hex(css[at + 1])) {
      value = value * 16 + hex_digit(css[++at]);
      ++digits;
    }
    // All properties and values that we know are ASCII.
    if (digits > 0) plain += value > 0 && value < 0x80 ? static_cast<char>(value) : '?';
    if (digits > 0 && at + 1 < css.size() && ascii::is_space(css[at + 1])) ++at;
  }
  return plain;
}

}  // namespace shingled::mime
