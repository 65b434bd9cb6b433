#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>

#include "config/base/at_most_every.h"
#include "config/base/byte_reader.h"
#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/system/socket_address.h"
#include "storage/access/access.h"
#include "storage/server/server_counters.h"

// Requests that are lost under overload: which ones, and how the log and the counters tell it.
namespace shingled::storage::server {

/// Whether a packet that waited for `waited` before it was read is too old to be answered. `limit`
/// 0: never.
///
/// The client has given up by then and asks again. An answer to the old packet would only delay
/// clients that still wait. The queue is read in order, so the oldest packets are dropped. WRITE
/// and DEL in the clear are not dropped: they are few, and a repetition costs more. A sealed packet
/// is not opened to find out its command, because opening is most of its cost. So a sealed update
/// can be dropped, too; its client got no acknowledgement and repeats it.
/// Threads: stateless.
bool is_too_late(BytesView packet, Duration waited, Duration limit);

/// Writes to the log that requests are lost, because there are too many or because there is no
/// memory for them, and that updates are refused: the first time at once, then once a minute (of
/// refusals once an hour for each reason) while it lasts.
/// Threads: any thread; never waits for another thread.
class LossReport {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(1);

  explicit LossReport(Logger& logger) : logger_(logger) {}

  /// `kernel_drops`: packets that found no room in the socket's buffer; `too_late`: packets that
  /// the server dropped.
  void record(std::uint64_t kernel_drops, std::uint64_t too_late, TimePoint now);
  /// A request was lost because there was no memory for it. If there is no memory for the log line
  /// either, the next call writes the line.
  void note_no_memory(TimePoint now) noexcept;
  /// An update of `source` was refused. The line names that source, which may be forged.
  void note_refused_update(access::UpdateRefusal why, const IpAddress& source, TimePoint now);

 private:
  static constexpr Duration kRefusalInterval = std::chrono::hours(1);

  struct Refused {
    std::atomic<std::uint64_t> count{0};  // since the last line
    AtMostEvery line{kRefusalInterval};
  };

  Logger& logger_;
  std::atomic<std::uint64_t> kernel_drops_{0};  // since the last line
  std::atomic<std::uint64_t> too_late_{0};
  std::atomic<std::uint64_t> no_memory_{0};
  AtMostEvery line_{kInterval};
  AtMostEvery no_memory_line_{kInterval};
  std::array<Refused, access::kUpdateRefusals> refused_{};
};

/// Does a worker's work for one packet or connection. Returns false if there was no memory for it;
/// this is counted and logged. The worker continues, because the next packet may need less memory.
template <typename Work>
bool within_memory(WorkerCounters& counters, LossReport& losses, TimePoint now, const Work& work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
    counters.no_memory.add(1);
    losses.note_no_memory(now);
    return false;
  }
}

}  // namespace shingled::storage::server
