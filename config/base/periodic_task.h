#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

#include "config/base/guarded.h"

namespace shingled {

/// A thread that does the same work again and again: after each pause, and at once when it is
/// woken.
///
/// The work is never done twice at the same time. A `wake` while it is under way counts for the
/// next time; several count as one.
/// Threads: any thread; one inside. The destructor joins it, after the work under way.
class PeriodicTask {
 public:
  /// Long work looks at its argument, which says that the task is to stop.
  using Work = std::function<void(const std::stop_token&)>;

  /// `name`: of the thread, at most 15 characters. `pause`: from the end of the work to the next
  /// time; nullopt = only when told.
  PeriodicTask(const char* name, std::optional<std::chrono::milliseconds> pause, Work work);
  ~PeriodicTask() = default;
  PeriodicTask(const PeriodicTask&) = delete;
  PeriodicTask& operator=(const PeriodicTask&) = delete;
  PeriodicTask(PeriodicTask&&) = delete;
  PeriodicTask& operator=(PeriodicTask&&) = delete;

  void wake();
  /// The work is not begun any more. Does not wait.
  void request_stop() { thread_.request_stop(); }

 private:
  void run(const std::stop_token& stop);

  const std::optional<std::chrono::milliseconds> pause_;
  const Work work_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool is_told_ SHINGLED_GUARDED_BY(mutex_) = false;
  std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace shingled
