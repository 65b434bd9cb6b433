#include "milter/http/work_threads.h"

#include <pthread.h>

#include <utility>

namespace shingled::milter::http {

WorkThreads::WorkThreads(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    threads_.emplace_back([this] { run(); });
    ::pthread_setname_np(threads_.back().native_handle(), "http-work");
  }
}

bool WorkThreads::add(Work work) {
  const MutexLock lock(mutex_);
  if (ended_) return false;
  waiting_.push_back(std::move(work));
  change_.notify_one();
  return true;
}

void WorkThreads::stop() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  stop_.request_stop();
  change_.notify_all();
  threads_.clear();
}

void WorkThreads::run() {
  MutexLock lock(mutex_);
  while (true) {
    change_.wait(lock.as_lock(),
                 [this]() SHINGLED_REQUIRES(mutex_) { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Work work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work(stop_.get_token());
    lock.lock();
  }
}

}  // namespace shingled::milter::http
