#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/base/clock.h"
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

/// Remembers ids for at least `window` and at most twice that. If there are very many ids, it
/// remembers at least the last `most` / 2 of them, and never more than `most`. `Ids` is a set
/// type.
///
/// A value type: the caller passes `now`.
/// Threads: one thread.
template <typename Ids>
class RecentSet {
 public:
  using Set = Ids;
  using Id = typename Ids::value_type;

  RecentSet(Duration window, std::size_t most) : window_(window), half_(most / 2) {}

  [[nodiscard]] bool contains(const Id& id, TimePoint now) const {
    if (now < born_ + 2 * window_ && young_.contains(id)) return true;
    return now < old_end_ && old_.contains(id);
  }
  void insert(const Id& id, TimePoint now) {
    if (young_.size() >= half_ || now >= born_ + window_) {
      old_ = std::exchange(young_, {});
      old_end_ = born_ + 2 * window_;
      born_ = now;
    }
    young_.insert(id);
  }
  [[nodiscard]] std::size_t size() const { return young_.size() + old_.size(); }

 private:
  Duration window_;
  std::size_t half_;
  // Two generations: when the young one is full or `window` old, it becomes the old one, and the
  // previous old one is dropped as a whole.
  Ids young_;
  Ids old_;
  TimePoint born_{};     // when the young generation began
  TimePoint old_end_{};  // when the old generation stops counting
};

using RecentIds = RecentSet<std::unordered_set<UpdateId, UpdateIdHash>>;

}  // namespace shingled::storage
