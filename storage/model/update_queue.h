#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "config/base/guarded.h"
#include "storage/model/fuzzy_store.h"
#include "storage/model/replica.h"

namespace shingled::storage {

/// An update on its way to the file, and the function to call when it is done.
struct QueuedUpdate {
  Update update;
  UpdateDone done;
  std::unique_ptr<const ReplicaBatch> batch = nullptr;  ///< if set, used instead of `update`
};

/// A bounded queue from the threads that submit updates to the writer.
/// Threads: any thread pushes, one thread takes.
class UpdateQueue {
 public:
  explicit UpdateQueue(std::size_t most) : most_(most) {}

  /// Moves `pending` into the queue. Returns false if the queue is full or closed; then `pending`
  /// is unchanged.
  [[nodiscard]] bool push(QueuedUpdate& pending);
  /// Waits until the queue has an update or is closed, at most for `patience`. Then waits up to
  /// `gather` more for a larger group, but not if the queue has a batch of a master: that is a
  /// group by itself, and its master sends the next batch only after this one is done. Takes at
  /// most `most` updates, in order.
  std::vector<QueuedUpdate> take(std::size_t most, std::chrono::milliseconds patience,
                                 std::chrono::milliseconds gather);
  /// From now on `push` fails. Updates in the queue can still be taken.
  void close();
  /// The number of updates in the queue.
  [[nodiscard]] std::size_t size();
  /// True if the queue is closed and empty: the writer can end.
  [[nodiscard]] bool finished();

 private:
  const std::size_t most_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<QueuedUpdate> waiting_ SHINGLED_GUARDED_BY(mutex_);
  bool closed_ SHINGLED_GUARDED_BY(mutex_) = false;
  std::size_t batches_ SHINGLED_GUARDED_BY(mutex_) = 0;  ///< of `waiting_`
};

}  // namespace shingled::storage
