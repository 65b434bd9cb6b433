#include "milter/mta/traffic.h"

namespace shingled::milter::mta {

bool Traffic::enter() {
  const MutexLock lock(mutex_);
  if (closed_) return false;
  ++steps_;
  return true;
}

void Traffic::leave() {
  const MutexLock lock(mutex_);
  --steps_;
  changed_.notify_all();
}

void Traffic::set_under_way(Message& message, bool under_way) {
  if (message.counted == under_way) return;
  const MutexLock lock(mutex_);
  message.counted = under_way;
  if (under_way) {
    message.awaited = !draining_;
    ++messages_;
    if (message.awaited) ++awaited_;
  } else {
    --messages_;
    if (message.awaited) --awaited_;
    changed_.notify_all();
  }
}

std::size_t Traffic::drain(TimePoint deadline) {
  MutexLock lock(mutex_);
  draining_ = true;
  changed_.wait_until(lock.as_lock(), deadline,
                      [&]() SHINGLED_REQUIRES(mutex_) { return awaited_ == 0; });
  closed_ = true;
  const auto empty = [&]() SHINGLED_REQUIRES(mutex_) { return steps_ == 0; };
  // The longest callback is an end of message. Its analysis ends when a stop is requested.
  if (!changed_.wait_until(lock.as_lock(), deadline, empty)) {
    lock.unlock();
    stop_.request_stop();
    lock.lock();
    changed_.wait(lock.as_lock(), empty);
  }
  const std::size_t cut_off = awaited_;
  lock.unlock();
  owed_.do_all();
  return cut_off;
}

std::size_t Traffic::messages() const {
  const MutexLock lock(mutex_);
  return messages_;
}

}  // namespace shingled::milter::mta
