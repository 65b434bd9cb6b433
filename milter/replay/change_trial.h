#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/options/milter_options.h"
#include "milter/policy/compile_rules.h"
#include "milter/replay/rule_trial.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::replay {

/// What a change of the rules would have done to messages of a history.
struct ChangeReport {
  TrialCounts messages;                          ///< that were tried
  TrialCounts hits;                              ///< of these: the rule fires, also in shadow
  std::uint64_t broken = 0;                      ///< rows that cannot be read; not tried
  std::uint64_t unseen = 0;                      ///< judged without a look at them; not tried
  std::map<std::string, std::uint64_t> lacking;  ///< messages without a window that the rule asks
  /// How many verdicts would be another one: changes[from][to].
  std::array<std::array<std::uint64_t, kTrialActions>, kTrialActions> changes{};
  std::vector<TrialChange> examples;  ///< of these, the newest first
  std::int64_t since = 0;             ///< time of the oldest row that was looked at
  bool complete = true;               ///< all rows of the span were looked at

  [[nodiscard]] std::uint64_t changed() const;
};

struct ChangeBounds {
  std::uint64_t rows_max = UINT64_MAX;
  std::size_t examples_max = 50;
  /// Asked now and then; false = it is enough.
  std::function<bool()> go_on = [] { return true; };
};

/// Two sets of rules, and the one rule by which they differ, as its place in `after`.
struct RuleChange {
  const policy::CompiledRules& before;
  const policy::CompiledRules& after;
  std::size_t rule = 0;
};

/// Tries the messages of a span, the newest first, with the rules before and after a change. What
/// else changed since a message was judged has no influence.
/// Errors:  those of the reader.
/// Threads: that of the reader.
/// Cost:    as RowReplay, twice.
Result<ChangeReport> try_change(storage::sqlite::HistoryReader& reader,
                                const storage::sqlite::HistoryReader::Span& span,
                                const RuleChange& change, const ActionOptions& actions,
                                const ChangeBounds& bounds);

}  // namespace shingled::milter::replay
