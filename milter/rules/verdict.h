#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/milter_options.h"
#include "milter/rules/evidence.h"
#include "milter/rules/facts.h"

namespace shingled::milter::rules {

/// What happens to a message; the later, the stronger.
enum class Action : std::uint8_t { kPass, kAddHeader, kTempfail, kQuarantine, kReject, kDiscard };

std::string_view to_string(Action action);  ///< "pass" "add_header" "tempfail" "quarantine" ...

/// What we think of a message, and why.
struct Verdict {
  Action action = Action::kPass;
  double score = 0;
  std::optional<double> required;  ///< the add_header threshold, "required" in X-Shingled-Status
  std::vector<Symbol> symbols;
  std::string reason;   ///< "score 12.00 reaches reject 10.00"; on failure, what failed
  bool failed = false;  ///< something is unknown, and the failure policy decided

  [[nodiscard]] bool is_spam() const { return required && score >= *required; }
};

/// The strongest action whose threshold the score reaches. Pure.
Action choose_action(double score, const ActionOptions& actions);

/// Facts to verdict: pure, so a log line or `scan` can replay it. Only `Facts::findings` count.
///
/// A message of which something is unknown (unknown.h: look-ups without an answer, bounds that were
/// met) is judged by what is known when that is enough for more than a header; else by
/// `on_failure`; `failed` tells it from others when it is accepted, too.
Verdict judge(const Facts& facts, const ActionOptions& actions, FailurePolicy on_failure);

/// The verdict on a message that could not be looked at at all. Pure.
Verdict verdict_on_failure(FailurePolicy policy, std::string reason);

/// The verdict on a message that is put off unseen, because a limit is reached. Pure.
Verdict verdict_on_limit(std::string reason);

}  // namespace shingled::milter::rules
