#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "config/base/guarded.h"

namespace shingled::milter::http {

/// Threads for work that takes long, in the order in which it came. Its callers bound how much of
/// it waits.
/// Threads: any thread; `stop` one, once. Its threads are named "http-work".
class WorkThreads {
 public:
  /// Looks at the token now and then: when a stop is requested, it ends soon.
  using Work = std::function<void(const std::stop_token&)>;

  explicit WorkThreads(std::size_t count);
  ~WorkThreads() { stop(); }
  WorkThreads(const WorkThreads&) = delete;
  WorkThreads& operator=(const WorkThreads&) = delete;
  WorkThreads(WorkThreads&&) = delete;
  WorkThreads& operator=(WorkThreads&&) = delete;

  /// False after `stop`: the work is not done.
  [[nodiscard]] bool add(Work work);
  /// Returns when all work has run; what had not begun runs with a requested stop.
  void stop();

 private:
  void run();

  std::stop_source stop_;
  Mutex mutex_;
  std::condition_variable_any change_;
  std::deque<Work> waiting_ SHINGLED_GUARDED_BY(mutex_);
  bool ended_ SHINGLED_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace shingled::milter::http
