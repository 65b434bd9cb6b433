#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "config/base/result.h"
#include "config/system/socket_address.h"

namespace shingled::storage::replication {

/// Finds the addresses of a host without making its caller wait for the DNS. A host that is written
/// as an address needs no look-up and no thread.
///
/// Threads: one thread calls; a look-up has a thread of its own, which the destructor joins (the
/// system's resolver gives up by itself).
class AddressLookup {
 public:
  /// `wake` is called on the other thread when a look-up has ended.
  AddressLookup(SocketSpec spec, std::function<void()> wake)
      : spec_(std::move(spec)), wake_(std::move(wake)) {}

  /// Begins one, unless one is under way.
  void begin();
  [[nodiscard]] bool is_under_way() const { return is_under_way_; }
  /// What the last one has found, once; nothing before it has ended.
  std::optional<Result<std::vector<SocketAddress>>> take();

 private:
  const SocketSpec spec_;
  const std::function<void()> wake_;
  bool is_under_way_ = false;
  std::optional<Result<std::vector<SocketAddress>>> found_;  ///< the thread's until `is_done_`
  std::atomic<bool> is_done_{false};
  std::jthread thread_;
};

}  // namespace shingled::storage::replication
