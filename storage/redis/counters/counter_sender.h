#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/periodic_task.h"
#include "config/metrics/instruments.h"
#include "config/options/counter_options.h"
#include "storage/redis/counters/scripted_route.h"
#include "storage/redis/counters/waiting_counters.h"

namespace shingled::storage::redis {

/// Sends what waits: pairs at once, the rest every `flush`.
/// Threads: any thread; one inside, "counters-redis".
class CounterSender {
 public:
  /// The longest that what was counted is not on the disk.
  static constexpr std::chrono::milliseconds kSyncPause{1000};

  /// `expiry`: the slot by which things are too old. `sent` is called with the pairs that Redis has
  /// now, and with all that an earlier process left. Both from the thread inside.
  CounterSender(const SharedCounterOptions& options, ScriptedRoute& route, WaitingCounters& waiting,
                std::function<counters::Slot()> expiry,
                std::function<void(const WaitingCounters::Batch&)> sent, Clock& clock,
                Logger& logger);

  /// There are pairs.
  void wake() { task_.wake(); }
  /// Sends all that waits now.
  /// Errors: kUnavailable, kTimeout; some may have been sent.
  Status deliver(TimePoint deadline);

  [[nodiscard]] std::uint64_t counters_sent() const { return counters_sent_.read(); }
  [[nodiscard]] std::uint64_t pairs_sent() const { return pairs_sent_.read(); }

 private:
  struct Deliveries {
    std::uint64_t wanted = 0;
    std::uint64_t made = 0;
    bool succeeded = false;  ///< the last one
  };
  struct Written {
    WaitingCounters::Batch batch;
    CommandList commands;
  };

  void work(const std::stop_token& stop);
  bool send_all(bool may_seal, const std::stop_token& stop);
  void probe();
  bool send_pairs(const WaitingCounters::Batch& batch);
  bool send_calls();
  void drop_following();
  CommandList write(const WaitingCounters::Batch& batch, std::span<const std::string> names);
  bool settle(const WaitingCounters::Batch& batch, const std::vector<bool>& is_done);

  const SharedCounterOptions options_;
  ScriptedRoute& route_;
  WaitingCounters& waiting_;
  const std::function<counters::Slot()> expiry_;
  const std::function<void(const WaitingCounters::Batch&)> sent_;
  Clock& clock_;
  Logger& logger_;
  TimePoint flush_due_;
  TimePoint sync_due_{};
  Outage unreadable_;
  std::optional<Written> following_;  ///< the calls that are sent next
  EventCount counters_sent_;
  EventCount pairs_sent_;
  Mutex mutex_;
  std::condition_variable delivered_;
  Deliveries deliveries_ SHINGLED_GUARDED_BY(mutex_);
  PeriodicTask task_;  ///< last: it uses all of the above
};

}  // namespace shingled::storage::redis
