#pragma once

#include <cstdint>
#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/learning/training_process.h"
#include "milter/replay/history_span.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::boosting {

struct TrainingOptions {
  std::string history;  ///< empty = that of the settings
  std::string out;      ///< empty = model.file
  replay::HistorySpan span = {.since = "14d"};
  std::uint32_t seed = 1;
};

/// Trains a model on the history and publishes it if it is worth it (MODEL.md, "Training"). Keeps
/// what came of it beside the model.
/// Errors:  none: all are results.
/// Threads: one process at a time; others get kFailed.
learning::TrainingResult run_training(const Settings& settings, const TrainingOptions& options,
                                      const Clock& clock, const storage::Watcher& watcher);

/// Trains on the messages of a history that a file names as `train`, and says of those named as
/// `test` what the model gives them: a line of JSON each. A line of the file: queue id, `bad`,
/// `wanted` or `own` (what the history says), `train` or `test`, and a weight, with tabs between.
/// Errors:  kInvalid: a line is wrong; those of train_model().
Result<std::string> run_trial(const Settings& settings, const TrainingOptions& options,
                              const std::string& file, const storage::Watcher& watcher);

}  // namespace shingled::milter::boosting
