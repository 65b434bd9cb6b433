#pragma once

#include <condition_variable>
#include <cstddef>
#include <stop_token>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "milter/mta/owed_work.h"

namespace shingled::milter::mta {

/// Counts the callbacks that are running and the messages between MAIL and their end. `drain`
/// closes the service: it waits for them, and no callback can begin afterwards.
/// Threads: any thread.
class Traffic {
 public:
  /// The entry of one connection in the counts.
  struct Message {
    bool counted = false;
    bool awaited = false;  ///< `drain` waits for it
  };

  /// A callback begins. False: the service is closed; then do not call `leave`.
  [[nodiscard]] bool enter();
  void leave();
  /// Tells whether the connection has a message under way now. Call it between `enter` and `leave`.
  void set_under_way(Message& message, bool under_way);

  /// Waits until the messages under way have ended or the deadline has passed. Messages that begin
  /// meanwhile are served, but it does not wait for them. Then it closes the service and waits for
  /// the running callbacks; at the deadline it requests them to stop. At last it does what they
  /// owe. Returns the number of messages that did not end.
  std::size_t drain(TimePoint deadline);
  /// For callbacks that take long: a stop is requested when the deadline of `drain` has passed.
  [[nodiscard]] std::stop_token stopping() const { return stop_.get_token(); }
  [[nodiscard]] std::size_t messages() const;
  /// What callbacks have left for later. Call it between `enter` and `leave`.
  [[nodiscard]] OwedWork& owed() { return owed_; }

 private:
  OwedWork owed_;
  std::stop_source stop_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::size_t messages_ SHINGLED_GUARDED_BY(mutex_) = 0;
  std::size_t awaited_ SHINGLED_GUARDED_BY(mutex_) = 0;  // those that began before `drain`
  std::size_t steps_ SHINGLED_GUARDED_BY(mutex_) = 0;
  bool draining_ SHINGLED_GUARDED_BY(mutex_) = false;
  bool closed_ SHINGLED_GUARDED_BY(mutex_) = false;
};

}  // namespace shingled::milter::mta
