#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "config/promotions/judgement_file.h"
#include "milter/learning/sample.h"
#include "milter/model/model_evidence.h"
#include "milter/model/model_mode.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::learning {

/// What the history says of the model, and of a training.
/// Threads: a value.
struct Survey {
  bool done = false;  ///< else nothing below is known
  std::uint64_t bad = 0;
  std::uint64_t wanted = 0;
  std::int64_t first = 0;  ///< microseconds; of all rows
  std::int64_t last = 0;

  // Of the last week, as the model in force sees it.
  std::int64_t since = 0;
  std::uint64_t messages = 0;
  std::vector<double> unknown;  ///< by feature of the model: the share of messages that lack it
  model::ScoreShares scores{};

  config::RuleFigures figures;   ///< what the model's word did, or would have done
  std::uint64_t unreported = 0;  ///< messages that had its word, and nobody said spam
};

/// Reads the history once. `in_force`: null = there is no model. `live_since`: seconds since 1970,
/// 0 = it is in shadow.
/// Errors:  those of take_sample; without a history the survey is empty.
Result<Survey> survey_history(const Settings& settings, const model::ModelInForce* in_force,
                              std::int64_t live_since, WallTime now,
                              const storage::Watcher& watcher);

/// What is decided of the model from now on, by its figures (promotion/decide.h): nothing changes
/// what a person decided, or what the settings say.
model::ModelDecision decide(const model::ModelDecision& before, const Survey& survey,
                            const PolicyOptions& policy, WallTime now);

}  // namespace shingled::milter::learning
