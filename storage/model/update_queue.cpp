#include "storage/model/update_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "config/base/assert.h"

namespace shingled::storage {

bool UpdateQueue::push(QueuedUpdate& pending) {
  SHINGLED_ASSERT(pending.done != nullptr);  // the writer calls it
  {
    const MutexLock lock(mutex_);
    if (closed_ || waiting_.size() >= most_) return false;
    if (pending.batch != nullptr) ++batches_;
    waiting_.push_back(std::move(pending));
  }
  changed_.notify_one();
  return true;
}

std::vector<QueuedUpdate> UpdateQueue::take(std::size_t most, std::chrono::milliseconds patience,
                                            std::chrono::milliseconds gather) {
  SHINGLED_ASSERT(most > 0);  // 0 would never empty the queue
  MutexLock lock(mutex_);
  changed_.wait_for(lock.as_lock(), patience,
                    [&]() SHINGLED_REQUIRES(mutex_) { return closed_ || !waiting_.empty(); });
  if (!waiting_.empty() && gather.count() > 0) {
    changed_.wait_for(lock.as_lock(), gather, [&]() SHINGLED_REQUIRES(mutex_) {
      return closed_ || batches_ > 0 || waiting_.size() >= most;
    });
  }
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(most, waiting_.size()));
  std::vector<QueuedUpdate> group(std::make_move_iterator(waiting_.begin()),
                                  std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  const auto batches = static_cast<std::size_t>(std::ranges::count_if(
      group, [](const QueuedUpdate& taken) { return taken.batch != nullptr; }));
  SHINGLED_ASSERT(batches <= batches_);
  batches_ -= batches;
  return group;
}

void UpdateQueue::close() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

std::size_t UpdateQueue::size() {
  const MutexLock lock(mutex_);
  return waiting_.size();
}

bool UpdateQueue::finished() {
  const MutexLock lock(mutex_);
  return closed_ && waiting_.empty();
}

}  // namespace shingled::storage
