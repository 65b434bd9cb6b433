#pragma once

#include <mutex>
#include <shared_mutex>

#include "config/base/thread_annotations.h"

namespace shingled {

/// A lock that many threads hold together to read, and one alone to change. One that wants it alone
/// waits only for the readers that have it now: those that come later wait behind it. With
/// std::shared_mutex readers that keep coming could keep it out for ever.
///
/// For std::unique_lock and std::shared_lock.
/// Threads: any thread.
class SHINGLED_CAPABILITY("shared mutex") FairSharedMutex {
 public:
  void lock() SHINGLED_ACQUIRE() {
    const std::lock_guard turn(turn_);
    inside_.lock();
  }
  void unlock() SHINGLED_RELEASE() { inside_.unlock(); }
  void lock_shared() SHINGLED_ACQUIRE_SHARED() {
    const std::lock_guard turn(turn_);
    inside_.lock_shared();
  }
  void unlock_shared() SHINGLED_RELEASE_SHARED() { inside_.unlock_shared(); }

 private:
  std::mutex turn_;
  std::shared_mutex inside_;
};

}  // namespace shingled
