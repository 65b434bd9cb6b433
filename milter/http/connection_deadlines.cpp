#include "milter/http/connection_deadlines.h"

#include <pthread.h>
#include <sys/socket.h>

namespace shingled::milter::http {

ConnectionDeadlines::ConnectionDeadlines(Duration time, Clock& clock)
    : time_(time), clock_(clock), thread_([this](const std::stop_token& stop) { run(stop); }) {
  ::pthread_setname_np(thread_.native_handle(), "http-deadline");
}

ConnectionDeadlines::~ConnectionDeadlines() = default;

void ConnectionDeadlines::opened(int socket) {
  const MutexLock lock(mutex_);
  open_.push_back({socket, clock_.now() + time_});
  places_[socket] = std::prev(open_.end());
  // All have the same time, so the thread waits for the first one already.
  if (open_.size() == 1) change_.notify_one();
}

void ConnectionDeadlines::closed(int socket) {
  const MutexLock lock(mutex_);
  const auto place = places_.find(socket);
  if (place == places_.end()) return;
  open_.erase(place->second);
  places_.erase(place);
}

void ConnectionDeadlines::renewed(int socket) {
  const MutexLock lock(mutex_);
  const auto place = places_.find(socket);
  if (place == places_.end()) return;
  place->second->end = clock_.now() + time_;
  open_.splice(open_.end(), open_, place->second);
}

void ConnectionDeadlines::run(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (open_.empty()) {
      change_.wait(lock.as_lock(), stop,
                   [this]() SHINGLED_REQUIRES(mutex_) { return !open_.empty(); });
      continue;
    }
    const Open first = open_.front();
    const TimePoint now = clock_.now();
    if (now < first.end) {
      change_.wait_for(lock.as_lock(), stop, first.end - now, [] { return false; });
      continue;
    }
    ::shutdown(first.socket, SHUT_RDWR);  // under the lock, so that the number is not reused yet
    places_.erase(first.socket);
    open_.pop_front();
  }
}

}  // namespace shingled::milter::http
