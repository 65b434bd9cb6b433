#pragma once

#include <condition_variable>
#include <list>
#include <thread>
#include <unordered_map>

#include "config/base/clock.h"
#include "config/base/guarded.h"

namespace shingled::milter::status {

/// Ends connections that have been open for too long, whatever their clients do meanwhile: one that
/// sends a byte now and then is never idle, and would keep its place for ever.
///
/// All have the same time, so they end in the order they began. An ended connection is shut down,
/// not closed: its owner finds that out and closes it.
/// Threads: any thread; one inside, "http-deadline", joined by the destructor, which ends nothing.
class ConnectionDeadlines {
 public:
  ConnectionDeadlines(Duration time, Clock& clock);
  ~ConnectionDeadlines();
  ConnectionDeadlines(const ConnectionDeadlines&) = delete;
  ConnectionDeadlines& operator=(const ConnectionDeadlines&) = delete;
  ConnectionDeadlines(ConnectionDeadlines&&) = delete;
  ConnectionDeadlines& operator=(ConnectionDeadlines&&) = delete;

  /// A connection began; `socket` is open until `closed` was called for it.
  void opened(int socket);
  void closed(int socket);

 private:
  struct Open {
    int socket = -1;
    TimePoint end;
  };
  void run(const std::stop_token& stop);

  const Duration time_;
  Clock& clock_;
  Mutex mutex_;
  std::condition_variable_any change_;
  // The first to end in front; those that were ended have gone.
  std::list<Open> open_ SHINGLED_GUARDED_BY(mutex_);
  std::unordered_map<int, std::list<Open>::iterator> places_ SHINGLED_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace shingled::milter::status
