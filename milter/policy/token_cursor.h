#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "milter/policy/condition.h"
#include "milter/policy/condition_problem.h"
#include "milter/policy/condition_tokens.h"

namespace shingled::milter::policy {

/// Whether a word is an operator: ">=", "!=" and the like.
bool is_comparison(std::string_view word);

/// Where a parser of conditions stands, and the first problem that it found.
/// Threads: one thread.
struct TokenCursor {
  explicit TokenCursor(std::string_view text) : tokens(text), next(tokens.next()) {}

  Token take() {
    last = next;
    next = tokens.next();
    return last;
  }
  /// Reads what is next as the value of a name, which may have signs that tokens have not.
  void read_value() { next = tokens.value_at(last.offset + last.text.size()); }
  /// The operator that is next; nullopt after a problem.
  std::optional<Operator> take_operator();

  /// Only the first problem counts. False, so that it can be returned.
  bool fail(const Span& place, std::string what, std::string hint = {}) {
    if (!problem) problem = ConditionProblem{place, std::move(what), std::move(hint)};
    return false;
  }
  bool fail(const Token& token, std::string what, std::string hint = {}) {
    return fail(token.place(), std::move(what), std::move(hint));
  }
  /// From an offset to the end of the last token.
  [[nodiscard]] Span from(std::size_t begin) const {
    return {begin, last.offset + last.text.size() - begin};
  }

  ConditionTokens tokens;
  Token next;
  Token last = {};  ///< the one before it
  std::optional<ConditionProblem> problem = {};
};

}  // namespace shingled::milter::policy
