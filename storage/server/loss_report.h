#pragma once

#include <atomic>
#include <cstdint>

#include "config/base/at_most_every.h"
#include "config/base/clock.h"
#include "config/base/logger.h"

namespace shingled::storage::server {

/// Tells the log that requests are lost because there are too many, or no memory for them: the
/// first time at once, then once a minute while it goes on.
/// Threads: any thread, never waiting for another.
class LossReport {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(1);

  explicit LossReport(Logger& logger) : logger_(logger) {}

  /// `kernel_drops`: found no room in the socket's buffer; `too_late`: dropped by us.
  void note(std::uint64_t kernel_drops, std::uint64_t too_late, TimePoint now);
  /// One that there was no memory for; where there is none for the line either, the next one tells.
  void note_no_memory(TimePoint now) noexcept;

 private:
  Logger& logger_;
  std::atomic<std::uint64_t> kernel_drops_{0};  // since the last line
  std::atomic<std::uint64_t> too_late_{0};
  std::atomic<std::uint64_t> no_memory_{0};
  AtMostEvery line_{kInterval};
  AtMostEvery no_memory_line_{kInterval};
};

}  // namespace shingled::storage::server
