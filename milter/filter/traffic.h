#pragma once

#include <condition_variable>
#include <cstddef>
#include <stop_token>

#include "config/base/clock.h"
#include "config/base/guarded.h"

namespace shingled::milter::filter {

/// Who is inside the milter service: the callbacks running now and the messages between MAIL and
/// their end; and the door that `drain` closes behind the last one.
/// Threads: any thread.
class Traffic {
 public:
  /// A place in the count, one a connection.
  struct Message {
    bool counted = false;
    bool awaited = false;  ///< one that `drain` waits for
  };

  /// A callback begins; false when the door is closed, then there is no `leave`.
  [[nodiscard]] bool enter();
  void leave();
  /// Whether the connection has a message under way now; call it inside a step.
  void note(Message& message, bool under_way);

  /// Waits until the messages that are under way now have ended or the deadline has passed; those
  /// that begin meanwhile come in, but are not waited for. Then closes the door, and waits for the
  /// last step; at the deadline it asks those that are inside to stop. Gives how many of the
  /// messages did not end.
  std::size_t drain(TimePoint deadline);
  /// For steps that take long: the deadline of `drain` has passed.
  [[nodiscard]] std::stop_token stopping() const { return stop_.get_token(); }
  [[nodiscard]] std::size_t messages() const;

 private:
  std::stop_source stop_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::size_t messages_ SHINGLED_GUARDED_BY(mutex_) = 0;
  std::size_t awaited_ SHINGLED_GUARDED_BY(mutex_) = 0;  // of those, begun before `drain`
  std::size_t steps_ SHINGLED_GUARDED_BY(mutex_) = 0;
  bool draining_ SHINGLED_GUARDED_BY(mutex_) = false;
  bool closed_ SHINGLED_GUARDED_BY(mutex_) = false;
};

}  // namespace shingled::milter::filter
