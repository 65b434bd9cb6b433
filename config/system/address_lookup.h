#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"

namespace shingled {

/// Finds the addresses of one host, and nobody waits for the DNS longer than they want: the look-up
/// has a thread of its own, one at a time. A host that is written as an address needs neither.
///
/// There are two ways to ask: `begin`, then `take` when `wake` was called; or `find`, which waits.
/// Threads: any thread. The destructor waits for a look-up under way (the system's resolver gives
/// up by itself).
class AddressLookup {
 public:
  using Found = Result<std::vector<SocketAddress>>;

  /// `wake` is called when a look-up has ended, on its thread (the caller's for a
  /// host that is an address). It must not use this object.
  explicit AddressLookup(SocketSpec spec, std::function<void()> wake = {})
      : spec_(std::move(spec)), wake_(std::move(wake)) {}

  /// Begins a look-up, unless one was begun and its result not taken yet.
  void begin();
  /// Begun, and its result not taken yet.
  [[nodiscard]] bool is_under_way() const;
  /// The result of the look-up that was begun, once; nullopt before it has ended.
  /// Errors: as SocketAddress::resolve.
  std::optional<Found> take();

  /// The addresses as of now. If the answer does not come by the deadline, those known before.
  /// Errors: kUnavailable.
  Found find(TimePoint deadline, const Clock& clock);

 private:
  void start() SHINGLED_REQUIRES(mutex_);
  void look_up();

  const SocketSpec spec_;
  const std::function<void()> wake_;
  mutable Mutex mutex_;
  std::condition_variable ended_;
  bool is_running_ SHINGLED_GUARDED_BY(mutex_) = false;
  bool is_begun_ SHINGLED_GUARDED_BY(mutex_) = false;   ///< by `begin`, and not taken
  std::uint64_t ends_ SHINGLED_GUARDED_BY(mutex_) = 0;  ///< look-ups that have ended
  Found last_ SHINGLED_GUARDED_BY(mutex_) = Error{ErrorCode::kUnavailable,
                                                  "its name is still being looked up"};
  std::vector<SocketAddress> known_ SHINGLED_GUARDED_BY(mutex_);
  std::jthread thread_ SHINGLED_GUARDED_BY(mutex_);
};

}  // namespace shingled
