#pragma once

#include <condition_variable>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "config/base/guarded.h"
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
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;
  Checkpointer(Checkpointer&&) = delete;
  Checkpointer& operator=(Checkpointer&&) = delete;

  /// Begins a checkpoint; nothing happens while one is under way.
  void start();
  /// What became of the checkpoint begun last: told once, when it is over.
  std::optional<Status> take_outcome();

 private:
  enum class State { kIdle, kWanted, kRunning, kStopping };

  explicit Checkpointer(std::unique_ptr<sqlite::Database> database);
  void run();

  std::unique_ptr<sqlite::Database> database_;
  Mutex mutex_;
  std::condition_variable changed_;
  State state_ SHINGLED_GUARDED_BY(mutex_) = State::kIdle;
  std::optional<Status> outcome_ SHINGLED_GUARDED_BY(mutex_);
  std::jthread thread_;  ///< last: starts when all else is there
};

}  // namespace shingled::storage::engine
