#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "milter/policy/condition.h"

namespace shingled::milter::policy {

/// A word of the language of conditions.
struct Token {
  enum class Kind : std::uint8_t {
    kEnd,
    kWord,      ///< a letter, then letters, digits and any of `_.-`
    kNumber,    ///< begins like a number: "100", "0.3", "10x", "14d", "-1"
    kPercent,   ///< %
    kOperator,  ///< one of those of comparisons, or another row of their characters: "==" "&&"
    kOpen,      ///< (
    kClose,     ///< )
    kValue,     ///< what a name is compared with, up to a blank or `,()[]`, or in double quotes
    kOther,     ///< another character
  };

  Kind kind = Kind::kEnd;
  std::string_view text;
  std::size_t offset = 0;

  [[nodiscard]] Span place() const { return {offset, text.size()}; }
  [[nodiscard]] bool is_word(std::string_view word) const {
    return kind == Kind::kWord && text == word;
  }
  /// For messages: its text in quotes, at most 40 bytes of it, or "the end".
  [[nodiscard]] std::string spoken() const;
};

/// Takes a text apart, word by word.
/// Threads: one.
class ConditionTokens {
 public:
  /// The text must outlive it and its tokens.
  explicit ConditionTokens(std::string_view text) : text_(text) {}

  /// The next word; kEnd at the end, again and again.
  Token next();
  /// The word that begins at `offset` or after the blanks there, as a value if it is one: a text
  /// without blanks, commas, brackets and quotes, or one in double quotes. The end of quotes may be
  /// missing.
  Token value_at(std::size_t offset);

 private:
  Token take(Token::Kind kind, std::size_t bytes);

  std::string_view text_;
  std::size_t at_ = 0;
};

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
