#pragma once

#include <string>

#include "config/base/result.h"
#include "milter/replay/rule_trial.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::replay {

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
