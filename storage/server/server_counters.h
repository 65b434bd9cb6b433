#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>

#include "config/base/at_most_every.h"
#include "config/base/byte_reader.h"
#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/metrics/counter_table.h"
#include "config/system/socket_address.h"
#include "storage/access/access.h"

namespace shingled::storage::server {

inline constexpr std::size_t kVersionsCounted = 6;  ///< protocol versions up to 5

/// The counters of the server. Each dropped packet is in exactly one of the drop counters. To add a
/// counter, add a field and its line in `table`.
template <typename Number>
struct ServerCountersOf {
  Number checks{};
  Number hits{};
  Number delayed{};  ///< matches that are too new to be reported
  Number hidden{};   ///< matches on lists that the client may not see
  Number adds{};     ///< acknowledged
  Number deletes{};  ///< acknowledged
  Number stats{};
  Number pings{};
  Number refused{};          ///< answered 401, 403, 415, 503 or 504
  Number repeats{};          ///< retransmitted updates that were counted once
  Number invalid{};          ///< dropped: not a valid command
  Number undecryptable{};    ///< dropped: unknown key or bad MAC
  Number blocked{};          ///< dropped: blocked source
  Number ratelimited{};      ///< dropped: too many requests from the source's network
  Number unknown_keys{};     ///< dropped: a new client, and too many new clients came
  Number agreements{};       ///< key agreements with new clients
  Number too_late{};         ///< dropped: waited longer than queue_wait_max
  Number kernel_drops{};     ///< dropped by the kernel: the buffer of the socket was full
  Number unsent{};           ///< replies (UDP) that the kernel did not accept
  Number tcp_connections{};  ///< accepted
  Number tcp_refused{};      ///< refused: too many in total or from one source
  Number tcp_displaced{};    ///< closed: another client needed its place
  Number tcp_timeouts{};     ///< closed: no request for `tcp_timeout`
  Number tcp_slow{};         ///< closed: the client did not read its replies
  Number tcp_bad_frames{};   ///< closed: a frame with a length that is not allowed
  Number no_memory{};        ///< lost requests and closed connections: no memory
  std::array<Number, kVersionsCounted>
      versions{};  ///< requests by version; [0] = any other version

  static constexpr auto table() {
    using Counters = ServerCountersOf;
    constexpr MetricName kDrops = {"shingled_server_drops", "Requests that got no answer."};
    constexpr MetricName kClosed = {"shingled_server_tcp_closed",
                                    "TCP connections that were closed or refused, and why."};
    return std::to_array<CounterLine<Counters, Number>>({
        {&Counters::checks, {"shingled_server_checks", "CHECK requests answered."}, "checks"},
        {&Counters::hits, {"shingled_server_hits", "CHECK requests answered with a hash."}, "hits"},
        {&Counters::delayed,
         {"shingled_server_delayed", "CHECK requests whose hash was too new to be reported."},
         "delayed"},
        {&Counters::hidden,
         {"shingled_server_hidden", "CHECK requests whose hash the client may not see."},
         "hidden"},
        {&Counters::adds, {"shingled_server_adds", "Additions acknowledged."}, "adds"},
        {&Counters::deletes, {"shingled_server_deletes", "Deletions acknowledged."}, "deletes"},
        {&Counters::stats, {"shingled_server_stats", "STAT requests answered."}, "stats"},
        {&Counters::pings, {"shingled_server_pings", "PING requests answered."}, "pings"},
        {&Counters::refused, {"shingled_server_refused", "Requests refused."}, "refused"},
        {&Counters::repeats,
         {"shingled_server_repeats", "Repeated updates, counted once."},
         "repeats"},
        {&Counters::invalid, kDrops, "invalid", {"reason", "invalid"}},
        {&Counters::undecryptable, kDrops, "undecryptable", {"reason", "undecryptable"}},
        {&Counters::blocked, kDrops, "blocked", {"reason", "blocked"}},
        {&Counters::ratelimited, kDrops, "ratelimited", {"reason", "ratelimited"}},
        {&Counters::unknown_keys, kDrops, "unknown_keys", {"reason", "unknown_key"}},
        {&Counters::agreements,
         {"shingled_server_key_agreements", "Key agreements with new clients."},
         "agreements"},
        {&Counters::too_late, kDrops, "too_late", {"reason", "too_late"}},
        {&Counters::kernel_drops, kDrops, "kernel_drops", {"reason", "kernel"}},
        {&Counters::no_memory, kDrops, {}, {"reason", "no_memory"}},
        {&Counters::unsent,
         {"shingled_server_unsent", "Replies that the kernel did not accept."},
         "unsent"},
        {&Counters::tcp_connections,
         {"shingled_server_tcp_connections", "TCP connections accepted."},
         "tcp_connections"},
        {&Counters::tcp_refused, kClosed, "tcp_refused", {"reason", "refused"}},
        {&Counters::tcp_displaced, kClosed, "tcp_displaced", {"reason", "displaced"}},
        {&Counters::tcp_timeouts, kClosed, "tcp_timeouts", {"reason", "timeout"}},
        {&Counters::tcp_slow, kClosed, "tcp_slow", {"reason", "slow"}},
        {&Counters::tcp_bad_frames, kClosed, "tcp_bad_frames", {"reason", "bad_frame"}},
    });
  }
};

/// The counters as plain numbers: of one worker, or the sum of all workers.
struct ServerCounters : ServerCountersOf<std::uint64_t> {
  ServerCounters& operator+=(const ServerCounters& other);
};
static_assert(kHasWholeTable<ServerCounters, kVersionsCounted>);

/// A counter.
/// Threads: one thread adds, any thread reads.
class Counter {
 public:
  void add(std::uint64_t more) {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t read() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// The counters of one worker. Aligned, so that two threads never write to the same cache line.
struct alignas(64) WorkerCounters : ServerCountersOf<Counter> {
  /// Counts a valid request by its version byte.
  void count_version(std::uint8_t byte) {
    const std::uint8_t version = byte & 0x0fU;  // above it are flags
    versions[version < kVersionsCounted ? version : 0].add(1);
  }

  [[nodiscard]] ServerCounters read() const;
};

/// Reports the counters as metrics `shingled_server_...`.
/// Threads: stateless.
void report_server(const ServerCounters& counters, MetricReport& report);

// Requests that are lost under overload: which ones, and how the log and the counters tell it.

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
