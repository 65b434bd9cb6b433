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

/// An update on its way to the file, with whom to tell.
struct QueuedUpdate {
  Update update;
  UpdateDone done;
  std::unique_ptr<const ReplicaBatch> batch = nullptr;  ///< instead of `update`, where it is set
};

/// A bounded queue between those who submit updates and the writer.
/// Threads: any thread pushes, one takes.
class UpdateQueue {
 public:
  explicit UpdateQueue(std::size_t most) : most_(most) {}

  /// Takes what is in `pending`. False when the queue is full or closed; then it is as it was.
  [[nodiscard]] bool push(QueuedUpdate& pending);
  /// Waits until something is there, the queue is closed, or `patience` is over; then waits up to
  /// `gather` more for a fuller group, but not once a batch of a master waits: it is a group by
  /// itself, and its master sends no other before it is done. Takes at most `most`, in order.
  std::vector<QueuedUpdate> take(std::size_t most, std::chrono::milliseconds patience,
                                 std::chrono::milliseconds gather);
  /// Nothing more comes in; what is there can still be taken.
  void close();
  /// How many wait now.
  [[nodiscard]] std::size_t size();
  /// Closed and empty: the writer may go.
  [[nodiscard]] bool finished();

 private:
  const std::size_t most_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<QueuedUpdate> waiting_ SHINGLED_GUARDED_BY(mutex_);
  bool closed_ SHINGLED_GUARDED_BY(mutex_) = false;
  std::size_t batches_ SHINGLED_GUARDED_BY(mutex_) = 0;  ///< among those waiting
};

}  // namespace shingled::storage
