#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/options/milter_options.h"
#include "milter/model/model_evidence.h"
#include "milter/rules/evidence.h"
#include "storage/model/work_watcher.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::learning {

/// What a model would do to messages of the history.
struct ModelTrial {
  /// Messages of one label: 0 none, 1 spam, 2 ham.
  struct Part {
    std::uint64_t messages = 0;
    std::uint64_t marked_before = 0;  ///< or stopped, without any model
    std::uint64_t marked_with = 0;
    std::uint64_t stopped_before = 0;
    std::uint64_t stopped_with = 0;
  };
  struct Change {
    std::int64_t time = 0;  ///< microseconds since 1970
    std::string queue_id;
    rules::Action from{};
    rules::Action to{};
    double score = 0;  ///< of all other evidence
    rules::ModelWord word;
  };
  std::array<Part, 3> parts;
  std::uint64_t broken = 0;
  std::vector<Change> changes;  ///< the latest, at most kChanges
  static constexpr std::size_t kChanges = 10;
};

/// Gives each message of a span the score of all other evidence, and with it the model's word.
/// Errors:  those of HistoryReader; stopped by `watcher`.
Result<ModelTrial> try_model(const std::string& file,
                             const storage::sqlite::HistoryReader::Span& span,
                             const model::ModelInForce& in_force, const ActionOptions& actions,
                             const storage::Watcher& watcher);

}  // namespace shingled::milter::learning
