#pragma once

#include <atomic>
#include <cstdint>

#include "config/base/at_most_every.h"
#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/system/socket_address.h"

namespace shingled::storage::access {

/// Counts what the rate limits refuse and tells the log: the first time at once, then once a minute
/// while it goes on.
/// Threads: any thread, never waiting for another.
/// Cost: two counters; the line of the minute takes memory.
class LimitReport {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(1);

  explicit LimitReport(Logger& logger) : logger_(logger) {}

  /// A request from there was over the limit; `banned`: from now on all are.
  void note(const Network& network, bool banned, bool log_only, TimePoint now);
  [[nodiscard]] std::uint64_t refused() const { return refused_.load(); }  ///< since the start
  [[nodiscard]] std::uint64_t bans() const { return bans_.load(); }

 private:
  Logger& logger_;
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> bans_{0};
  AtMostEvery line_{kInterval};
};

}  // namespace shingled::storage::access
