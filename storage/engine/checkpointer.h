#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/base/guarded.h"
#include "config/base/periodic_task.h"
#include "config/base/result.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::engine {

/// Copies the WAL into the database file, with its own thread and connection. The writer works
/// committing meanwhile. Without this class, a commit would sometimes wait for thousands of pages
/// and two syncs.
///
/// Threads: the writer calls `start` and `take_outcome`; one thread inside, "checkpoint". The
/// destructor joins it after a checkpoint that is under way.
class Checkpointer {
 public:
  /// Opens the file. The writer must have it open already.
  /// Errors: those of Database.
  static Result<std::unique_ptr<Checkpointer>> open(const std::string& path);

  /// Begins a checkpoint. Does nothing while one is under way.
  void start();
  /// The outcome of the last checkpoint: returned once, after it has ended; otherwise nullopt.
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
  PeriodicTask task_;  ///< last: its thread may use all other members
};

}  // namespace shingled::storage::engine
