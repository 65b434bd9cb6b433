#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/milter_options.h"
#include "milter/history/message_record.h"
#include "milter/policy/compile_rules.h"
#include "milter/policy/evaluate.h"
#include "milter/rules/verdict.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::replay {

inline constexpr std::string_view kUsualWindow = "usual";
/// Actions have numbers below it.
inline constexpr std::size_t kTrialActions = 6;

/// What some rules say of messages of the history, one after the other, and which verdict follows.
/// The score of other evidence stays, the thresholds are those of `actions`. A message that the
/// failure policy judged keeps its verdict. The history has no names, so that rules on them do not
/// fire.
///
/// A window that a row does not have is unknown. A symbol of another source is unknown in a row
/// that is incomplete and does not have it.
/// Threads: one thread; several at once.
/// Cost:    a few µs a row; memory for the rules and one row.
class RowReplay {
 public:
  /// `rules` must outlive it.
  RowReplay(const policy::CompiledRules& rules, const ActionOptions& actions);
  ~RowReplay();
  RowReplay(const RowReplay&) = delete;
  RowReplay& operator=(const RowReplay&) = delete;
  RowReplay(RowReplay&&) = delete;
  RowReplay& operator=(RowReplay&&) = delete;

  enum class Taken : std::uint8_t {
    kTried,   ///< the functions below are about this row
    kBroken,  ///< it cannot be read
    kUnseen,  ///< the message was judged without a look at it
  };
  Taken take(const storage::sqlite::HistoryReader::View& row);

  [[nodiscard]] const history::MessageRecord& record() const { return record_; }
  [[nodiscard]] const policy::Evaluation& evaluation() const;
  /// The windows that rules want and the row does not have; days before today are kUsualWindow.
  [[nodiscard]] const std::set<std::string>& lacking() const;

  struct Outcome {
    rules::Action action{};
    double score = 0;
  };
  /// The verdict if rules do this, and nothing else by rules.
  [[nodiscard]] Outcome with(const policy::PolicyEffect& effect) const;

 private:
  struct Prepared;
  Prepared& prepared_for(const std::vector<storage::counters::Window>& windows);
  void read_counters(const Prepared& prepared, policy::CounterReadings& out) const;
  void read_symbols();
  [[nodiscard]] double score_of_others() const;
  /// What the allow and the block list said then, they say now. `action`: of then.
  [[nodiscard]] rules::Action with_lists_of_then(rules::Action other, rules::Action action) const;

  const policy::CompiledRules& rules_;
  const ActionOptions actions_;
  std::array<int, 256> need_of_type_{};
  std::vector<std::unique_ptr<Prepared>> prepared_;  ///< the last used one is the first
  history::MessageRecord record_;
  rules::Action action_{};      ///< of then
  double score_of_others_ = 0;  ///< of then, without rules
  std::vector<policy::Truth> symbols_;
};

/// The windows that the counters of a rule want, with kUsualWindow: its own, and those of the rules
/// that it names. By rule; of a rule that is not enabled none.
/// Threads: stateless.
std::vector<std::set<std::string>> windows_of(const policy::CompiledRules& rules);

}  // namespace shingled::milter::replay
