#pragma once

#include <condition_variable>
#include <list>
#include <stop_token>
#include <thread>
#include <unordered_map>

#include "config/base/clock.h"
#include "config/base/guarded.h"

namespace shingled::milter::http {

/// Ends connections that have been open for too long, also if they are not idle: a client that
/// sends a byte now and then could otherwise keep its connection without end.
///
/// All connections have the same time, so they end in the order in which they began. An ended
/// connection is shut down, not closed: its owner notices it and closes it.
/// Threads: any thread. It has a thread of its own, "http-deadline". The destructor joins it, and
/// does not end connections.
class ConnectionDeadlines {
 public:
  ConnectionDeadlines(Duration time, Clock& clock);
  ~ConnectionDeadlines();
  ConnectionDeadlines(const ConnectionDeadlines&) = delete;
  ConnectionDeadlines& operator=(const ConnectionDeadlines&) = delete;
  ConnectionDeadlines(ConnectionDeadlines&&) = delete;
  ConnectionDeadlines& operator=(ConnectionDeadlines&&) = delete;

  /// A connection began. `socket` must stay open until `closed` is called for it.
  void opened(int socket);
  void closed(int socket);
  /// The time of the connection begins again. Does nothing if it has ended already.
  void renewed(int socket);

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
  // The connection with the earliest end is the first. Ended connections are removed.
  std::list<Open> open_ SHINGLED_GUARDED_BY(mutex_);
  std::unordered_map<int, std::list<Open>::iterator> places_ SHINGLED_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace shingled::milter::http
