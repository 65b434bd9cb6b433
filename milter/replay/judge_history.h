#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "milter/replay/shadow_trial.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::replay {

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
