#include "config/base/periodic_task.h"

#include <pthread.h>

#include <utility>

namespace shingled {

PeriodicTask::PeriodicTask(const char* name, std::optional<std::chrono::milliseconds> pause,
                           Work work)
    : pause_(pause),
      work_(std::move(work)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {
  ::pthread_setname_np(thread_.native_handle(), name);
}

void PeriodicTask::wake() {
  {
    const MutexLock lock(mutex_);
    is_told_ = true;
  }
  changed_.notify_one();
}

void PeriodicTask::run(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  const auto is_told = [this]() SHINGLED_REQUIRES(mutex_) { return is_told_; };
  for (;;) {
    if (pause_) {
      changed_.wait_for(lock.as_lock(), stop, *pause_, is_told);
    } else {
      changed_.wait(lock.as_lock(), stop, is_told);
    }
    if (stop.stop_requested()) return;
    is_told_ = false;
    lock.unlock();
    work_(stop);
    lock.lock();
  }
}

}  // namespace shingled
