#pragma once

#include <condition_variable>
#include <thread>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"

namespace shingled::storage::redis {

/// Finds the addresses of one server so that nobody waits for the DNS longer than he has time: the
/// look-up goes on in a thread of its own, one at a time. A server that is given by its address
/// needs neither.
///
/// Threads: any thread. The destructor waits for a look-up under way (the system's resolver gives
/// up by itself).
class HostLookup {
 public:
  HostLookup(SocketSpec where, Clock& clock) : where_(std::move(where)), clock_(clock) {}

  /// Its addresses as of now; where the answer does not come by the deadline, those of before.
  /// Errors: kUnavailable.
  Result<std::vector<SocketAddress>> find(TimePoint deadline);

 private:
  using Found = Result<std::vector<SocketAddress>>;

  void look_up();

  const SocketSpec where_;
  Clock& clock_;
  Mutex mutex_;
  std::condition_variable ended_;
  bool under_way_ SHINGLED_GUARDED_BY(mutex_) = false;
  std::uint64_t ends_ SHINGLED_GUARDED_BY(mutex_) = 0;  ///< look-ups that have ended
  Found last_ SHINGLED_GUARDED_BY(mutex_) = Error{ErrorCode::kUnavailable,
                                                  "its name is still being looked up"};
  std::vector<SocketAddress> known_ SHINGLED_GUARDED_BY(mutex_);
  std::jthread thread_ SHINGLED_GUARDED_BY(mutex_);
};

}  // namespace shingled::storage::redis
