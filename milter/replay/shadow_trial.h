#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/options/milter_options.h"
#include "config/promotions/judgement_file.h"
#include "milter/policy/compile_rules.h"
#include "milter/replay/row_replay.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::replay {

/// A rule that is judged: one in shadow, or one that its figures took out of it.
struct JudgedRule {
  std::size_t rule = 0;                      ///< its place among the rules
  std::optional<WallTime> promoted_at = {};  ///< since then it is out of shadow by its figures
  friend bool operator==(const JudgedRule&, const JudgedRule&) = default;
};

/// What each judged rule does to messages of the history by itself. A rule in shadow is added to
/// the rules in force, alone. Rules that are out of shadow by their figures are compared with the
/// settings as they are written: what two of them mark together counts for both. So a rule that has
/// no effect, and two that only have one together, have no figures.
///
/// Two who write to each other are what the shipped rule WELL_KNOWN takes for it: at least five
/// wanted messages from this sender to this recipient, and no spam, in the longest window of the
/// row.
/// Threads: one thread.
/// Cost:    as RowReplay; for a judged rule that fires and has an effect, all rules once more.
class ShadowTrial {
 public:
  /// `rules` must outlive it; those with `promoted_at` are not in shadow there, the others are.
  ShadowTrial(const policy::CompiledRules& rules, std::vector<JudgedRule> judged,
              const ActionOptions& actions);

  void add(const storage::sqlite::HistoryReader::View& row);

  struct Report {
    std::uint64_t messages = 0;                                 ///< that were tried
    std::uint64_t unreported = 0;                               ///< of these: nobody said spam
    std::uint64_t broken = 0;                                   ///< rows that cannot be read
    std::vector<config::RuleFigures> figures;                   ///< by judged rule
    std::vector<std::map<std::string, std::uint64_t>> lacking;  ///< by judged rule
    friend bool operator==(const Report&, const Report&) = default;
  };
  [[nodiscard]] Report report() const;

 private:
  struct Row {
    std::uint8_t label = 0;
    std::int64_t time = 0;
    bool correspondents = false;
  };
  void judge(std::size_t judged, rules::Action without, rules::Action with, const Row& row);
  [[nodiscard]] policy::PolicyEffect effect(bool with_promoted) const;

  const policy::CompiledRules& rules_;
  const std::vector<JudgedRule> judged_;
  std::vector<bool> is_promoted_;               ///< by rule
  std::vector<std::set<std::string>> windows_;  ///< by rule: with those of rules that it names
  bool any_promoted_ = false;
  RowReplay replay_;
  std::map<std::string, std::uint64_t> lacking_;  ///< rows, by window
  Report report_;
};

struct HistoryReport {
  ShadowTrial::Report trial;
  WallTime first{};  ///< time of the oldest message; 0 without one
};

/// Judges rules on a whole history, in one pass and with one thread.
///
/// `watcher`: called after every kJudgeEvery rows and after each of TimeSlices; it may wait, so
/// that the work does not disturb mail.
/// Errors:  those of HistoryReader; stopped().
/// Threads: any thread.
/// Cost:    memory for the rules and one row.
Result<HistoryReport> judge_history(const std::string& file, const policy::CompiledRules& rules,
                                    const std::vector<JudgedRule>& judged,
                                    const ActionOptions& actions, const storage::Watcher& watcher);

inline constexpr std::uint64_t kJudgeEvery = 512;

}  // namespace shingled::milter::replay
