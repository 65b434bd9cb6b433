#pragma once

#include <string>

#include "config/document/places.h"
#include "milter/policy/condition.h"

namespace shingled::milter::policy {

using Severity = config::Problem::Severity;

/// Something wrong inside a condition.
struct ConditionProblem {
  Span place;             ///< in the text of the condition; may have a length of 0, at its end
  std::string what;       ///< what is wrong, and what is allowed
  std::string hint = {};  ///< what was probably meant, to stand in that place; often empty
  Severity severity = Severity::kError;

  [[nodiscard]] bool is_error() const { return severity == Severity::kError; }
  /// `what; did you mean 'hint'?`
  [[nodiscard]] std::string to_string() const {
    return hint.empty() ? what : what + "; did you mean '" + hint + "'?";
  }
  friend bool operator==(const ConditionProblem&, const ConditionProblem&) = default;
};

}  // namespace shingled::milter::policy
