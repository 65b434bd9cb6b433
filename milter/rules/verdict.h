#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/milter_options.h"
#include "milter/rules/evidence.h"
#include "milter/rules/facts.h"

namespace shingled::milter::rules {

/// The judgement of a message, with its reason.
struct Verdict {
  Action action = Action::kPass;
  double score = 0;
  std::optional<double> required;  ///< the add_header threshold, "required" in X-Shingled-Status
  std::vector<Symbol> symbols;
  /// "score 12.00 reaches reject 10.00", or the evidence that asked for the action as in the log;
  /// after a failure: what failed. Bytes of mail may be in it.
  std::string reason;
  bool failed = false;        ///< something is unknown, and the failure policy decided
  std::string accepted = {};  ///< the symbol that let the message pass whatever its score is

  /// Whether the message is marked as spam: by its score, or because something asks for a mark.
  [[nodiscard]] bool is_spam() const {
    const bool asked = action == Action::kAddHeader && !failed;
    return accepted.empty() && (asked || (required && score >= *required));
  }
};

/// The score of all findings but those of sources with `from_counters`. Pure.
double score_without_counters(const Facts& facts);

/// The score of all findings. Pure.
double score_of(const Facts& facts);

/// The strongest action whose threshold the score reaches; kPass if it reaches none. Pure.
Action choose_action(double score, const ActionOptions& actions);

/// Makes a verdict of facts: the strongest of the action that the score reaches and those that
/// pieces of evidence ask for, but none above what `Evidence::at_most` allows. Only
/// `Facts::findings` count. It is pure, so `scan` can repeat it.
///
/// If something about the message is unknown (look-ups without an answer, bounds that
/// were reached), the known facts decide if they are enough for an action above a header. Otherwise
/// `on_failure` decides, and `failed` is set, also when the message is accepted.
Verdict judge(const Facts& facts, const ActionOptions& actions, FailurePolicy on_failure);

/// The verdict on a message that could not be looked at. Pure.
Verdict verdict_on_failure(FailurePolicy policy, std::string reason);

/// The verdict on a message that is deferred without a check, because a limit is reached. Pure.
Verdict verdict_on_limit(std::string reason);

}  // namespace shingled::milter::rules
