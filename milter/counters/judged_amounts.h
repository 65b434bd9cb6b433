#pragma once

#include <cstdint>
#include <optional>

#include "config/options/counter_options.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "storage/counters/counter.h"

namespace shingled::milter::counters {

/// As what a message counts.
struct CountThresholds {
  CounterJudge judge = CounterJudge::kWithoutCounters;
  double ham_below = 1;
  std::optional<double> spam_from;  ///< nullopt = nothing is spam

  /// `actions`: of the milter, for the default of `spam_from`.
  static CountThresholds of(const CounterOptions& options, const ActionOptions& actions);
};

/// What each counter of a message grows by: mass 1, its recipients and bytes, and spam or ham or
/// neither. If something about the message is unknown (`Verdict::failed`), it is never ham;
/// one that was accepted whatever its score is never spam. Pure.
storage::counters::Amounts judged_amounts(const rules::Facts& facts, const rules::Verdict& verdict,
                                          const CountThresholds& thresholds,
                                          std::uint64_t recipients);

}  // namespace shingled::milter::counters
