#include "milter/policy/condition_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/base/ascii.h"
#include "config/base/utf8.h"
#include "milter/policy/condition_mistakes.h"

namespace shingled::milter::policy {

namespace {

constexpr ascii::CharSet kOperatorSigns("<>=!&|~");
constexpr ascii::CharSet kWordSigns("_.-");
constexpr ascii::CharSet kNumberSigns("_.,");

bool begins_number(std::string_view text) {
  if (ascii::is_digit(text[0])) return true;
  const bool sign = text[0] == '-' || text[0] == '+' || text[0] == '.';
  return sign && text.size() > 1 && (ascii::is_digit(text[1]) || text[1] == '.');
}

template <typename Belongs>
std::size_t length_of(std::string_view text, Belongs belongs) {
  const auto* const end = std::find_if_not(text.begin() + 1, text.end(), belongs);
  return static_cast<std::size_t>(end - text.begin());
}

}  // namespace

std::string Token::spoken() const {
  constexpr std::size_t kShown = 40;
  if (kind == Kind::kEnd) return "the end";
  return fmt::format("'{}'", text.substr(0, kShown));
}

Token ConditionTokens::take(Token::Kind kind, std::size_t bytes) {
  const Token token{kind, text_.substr(at_, bytes), at_};
  at_ += bytes;
  return token;
}

Token ConditionTokens::next() {
  while (at_ < text_.size() && ascii::is_space(text_[at_])) ++at_;
  const std::string_view rest = text_.substr(at_);
  if (rest.empty()) return take(Token::Kind::kEnd, 0);
  const char first = rest[0];
  if (first == '(') return take(Token::Kind::kOpen, 1);
  if (first == ')') return take(Token::Kind::kClose, 1);
  if (first == '%') return take(Token::Kind::kPercent, 1);
  if (kOperatorSigns.has(first)) {
    return take(Token::Kind::kOperator,
                length_of(rest, [](char c) { return kOperatorSigns.has(c); }));
  }
  if (begins_number(rest)) {
    return take(Token::Kind::kNumber,
                length_of(rest, [](char c) { return ascii::is_alnum(c) || kNumberSigns.has(c); }));
  }
  if (ascii::is_alpha(first) || first == '_') {
    return take(Token::Kind::kWord,
                length_of(rest, [](char c) { return ascii::is_alnum(c) || kWordSigns.has(c); }));
  }
  const auto letter = first_utf8_letter(rest);
  return take(Token::Kind::kOther, letter ? letter->bytes : 1);
}

Token ConditionTokens::value_at(std::size_t offset) {
  constexpr ascii::CharSet kEnds(",()[]\"");
  at_ = offset;
  while (at_ < text_.size() && ascii::is_space(text_[at_])) ++at_;
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with('"')) {
    const std::size_t end = rest.find('"', 1);
    return take(Token::Kind::kValue, end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (rest.empty() || kEnds.has(rest[0])) return next();
  return take(Token::Kind::kValue,
              length_of(rest, [&](char c) { return !ascii::is_space(c) && !kEnds.has(c); }));
}

namespace {

constexpr auto kOperators = std::to_array<std::pair<std::string_view, Operator>>({
    {">=", Operator::kAtLeast},
    {">", Operator::kMore},
    {"<=", Operator::kAtMost},
    {"<", Operator::kLess},
    {"=", Operator::kEqual},
    {"!=", Operator::kNotEqual},
});

}  // namespace

bool is_comparison(std::string_view word) {
  return std::ranges::find(kOperators, word, &decltype(kOperators)::value_type::first) !=
         kOperators.end();
}

std::optional<Operator> TokenCursor::take_operator() {
  const auto* const found =
      std::ranges::find(kOperators, next.text, &decltype(kOperators)::value_type::first);
  if (found != kOperators.end()) {
    take();
    return found->second;
  }
  const std::string meant = meant_by(next.text);
  if (next.kind == Token::Kind::kOperator || next.kind == Token::Kind::kOther ||
      is_comparison(meant)) {
    fail(next, fmt::format("{} is not an operator; allowed: >= > <= < = !=", next.spoken()),
         is_comparison(meant) ? meant : "");
  } else {
    fail(last, fmt::format("'{0}' needs a comparison, such as {0} >= 10 in 1d", last.text));
  }
  return std::nullopt;
}

}  // namespace shingled::milter::policy
