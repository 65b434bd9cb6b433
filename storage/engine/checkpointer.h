#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/base/guarded.h"
#include "config/base/periodic_task.h"
#include "config/base/result.h"
#include "storage/sqlite/database.h"

namespace shingled::storage::engine {

/// Copies the WAL into the file on a thread and a connection of its own, while the writer goes on
/// committing: else a commit now and then would wait for thousands of pages and two syncs.
///
/// Threads: `start` and `take_outcome` from the writer; one inside, "checkpoint", joined by the
/// destructor after the checkpoint under way.
class Checkpointer {
 public:
  /// Opens the file, which the writer has open already.
  /// Errors: those of Database.
  static Result<std::unique_ptr<Checkpointer>> open(const std::string& path);

  /// Begins a checkpoint; nothing happens while one is under way.
  void start();
  /// What became of the checkpoint begun last: told once, when it is over.
  std::optional<Status> take_outcome();

 private:
  struct State {
    bool is_under_way = false;
    std::optional<Status> outcome;
  };

  explicit Checkpointer(std::unique_ptr<sqlite::Database> database);
  void work();

  std::unique_ptr<sqlite::Database> database_;
  Guarded<State> state_;
  PeriodicTask task_;  ///< last: starts when all else is there
};

}  // namespace shingled::storage::engine
