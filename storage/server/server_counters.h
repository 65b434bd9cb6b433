#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "config/metrics/counter_table.h"

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

}  // namespace shingled::storage::server
