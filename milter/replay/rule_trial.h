#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/options/milter_options.h"
#include "milter/policy/compile_rules.h"
#include "milter/replay/row_replay.h"
#include "milter/rules/verdict.h"
#include "storage/model/work_watcher.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::replay {

/// How many messages. A message is spam or ham by its label; without one by its verdict.
struct TrialCounts {
  std::uint64_t all = 0;
  std::uint64_t spam = 0;
  std::uint64_t ham = 0;
  std::uint64_t complained = 0;  ///< labelled spam
  std::uint64_t rescued = 0;     ///< labelled ham

  TrialCounts& operator+=(const TrialCounts& more);
  friend bool operator==(const TrialCounts&, const TrialCounts&) = default;
};

/// One message with this label, and with this verdict. `judged`: not by the failure policy.
TrialCounts counts_of_message(std::uint8_t label, rules::Action action, bool judged);

/// A verdict that would be another one.
struct TrialChange {
  std::int64_t time = 0;  ///< microseconds since 1970
  std::string queue_id;
  rules::Action from{};
  rules::Action to{};
  double score_from = 0;
  double score_to = 0;
  friend bool operator==(const TrialChange&, const TrialChange&) = default;
};

inline constexpr std::size_t kTrialExamples = 10;

struct TrialReport {
  TrialCounts messages;             ///< that were tried
  std::uint64_t broken = 0;         ///< rows that cannot be read; not tried
  std::uint64_t unseen = 0;         ///< judged without a look at them; not tried
  std::uint64_t other_windows = 0;  ///< without a window that a rule wants: unknown for it
  /// Of these by window; days before today, which `usual` wants, are kUsualWindow.
  std::map<std::string, std::uint64_t> lacking;
  std::vector<TrialCounts> rules;  ///< those for which each rule fires
  /// How many verdicts become another one: changes[from][to].
  std::array<std::array<std::uint64_t, kTrialActions>, kTrialActions> changes{};
  std::vector<TrialChange> examples;  ///< of these, the newest first, at most kTrialExamples
  /// Messages with each action or a stronger one: as it was, and with these rules.
  std::array<TrialCounts, kTrialActions> before{};
  std::array<TrialCounts, kTrialActions> after{};

  TrialReport& operator+=(const TrialReport& more);
  friend bool operator==(const TrialReport&, const TrialReport&) = default;
};

/// The share of hits among spam, of the hits among spam and ham: 1 = only spam. 0.5 without hits.
double spam_share(const TrialCounts& hits, const TrialCounts& messages);

/// Tries rules on rows of the history, as RowReplay does: they take the place of the rules of then.
/// Threads: one thread; several trials at once, whose reports are added.
/// Cost:    a few µs a row.
class RuleTrial {
 public:
  /// `rules` must outlive it.
  RuleTrial(const policy::CompiledRules& rules, const ActionOptions& actions);

  void add(const storage::sqlite::HistoryReader::View& row);
  [[nodiscard]] const TrialReport& report() const { return report_; }

 private:
  void count_change(const storage::sqlite::HistoryReader::View& row, rules::Action to,
                    double score_to);

  const policy::CompiledRules& rules_;
  RowReplay replay_;
  TrialReport report_;
};

/// Tries rules on all rows of a history within `span`, with two threads. The report does not depend
/// on how the threads share the work.
///
/// `watcher` is called on the thread of the caller.
/// Errors:  those of HistoryReader; stopped().
/// Threads: makes one more, which ends before it returns.
Result<TrialReport> try_rules(const std::string& file,
                              const storage::sqlite::HistoryReader::Span& span,
                              const policy::CompiledRules& rules, const ActionOptions& actions,
                              const storage::Watcher& watcher);

}  // namespace shingled::milter::replay
