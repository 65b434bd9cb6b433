#include "milter/policy/token_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "milter/policy/condition_mistakes.h"

namespace shingled::milter::policy {

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
