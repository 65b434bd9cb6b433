#include "milter/counters/judged_amounts.h"

namespace shingled::milter::counters {

using storage::counters::Amounts;
using storage::counters::Measure;

CountThresholds CountThresholds::of(const CounterOptions& options, const ActionOptions& actions) {
  return {.judge = options.judge,
          .ham_below = options.ham_below,
          .spam_from = options.spam_score(actions)};
}

Amounts judged_amounts(const rules::Facts& facts, const rules::Verdict& verdict,
                       const CountThresholds& thresholds, std::uint64_t recipients) {
  const double score = thresholds.judge == CounterJudge::kFinal
                           ? verdict.score
                           : rules::score_without_counters(facts);
  Amounts amounts;
  amounts.of(Measure::kMass) = 1;
  amounts.of(Measure::kRecipients) = recipients;
  amounts.of(Measure::kBytes) = facts.bytes;
  if (thresholds.spam_from && score >= *thresholds.spam_from) {
    if (verdict.accepted.empty()) amounts.of(Measure::kSpam) = 1;
  } else if (score < thresholds.ham_below && !verdict.failed) {
    amounts.of(Measure::kHam) = 1;
  }
  return amounts;
}

}  // namespace shingled::milter::counters
