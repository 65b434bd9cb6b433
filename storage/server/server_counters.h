#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace shingled::storage::server {

inline constexpr std::size_t kVersionsCounted = 6;  ///< protocol versions up to 5

/// What the server has seen; every dropped packet is in exactly one of the drop counters.
struct ServerCounters {
  std::uint64_t checks = 0;
  std::uint64_t hits = 0;
  std::uint64_t delayed = 0;  ///< matches that are too young to be a hit
  std::uint64_t hidden = 0;   ///< matches on lists the client may not see
  std::uint64_t adds = 0;     ///< acknowledged
  std::uint64_t deletes = 0;  ///< acknowledged
  std::uint64_t stats = 0;
  std::uint64_t pings = 0;
  std::uint64_t refused = 0;          ///< answered 401, 403, 415, 503 or 504
  std::uint64_t repeats = 0;          ///< retransmitted updates that were counted once
  std::uint64_t invalid = 0;          ///< dropped: no command
  std::uint64_t undecryptable = 0;    ///< dropped: unknown key or bad MAC
  std::uint64_t blocked = 0;          ///< dropped: blocked source
  std::uint64_t ratelimited = 0;      ///< dropped: the source's network came too often
  std::uint64_t unknown_keys = 0;     ///< dropped: of a new client, and too many of those came
  std::uint64_t agreements = 0;       ///< keys agreed on with new clients
  std::uint64_t too_late = 0;         ///< dropped: waited longer than queue_wait_max to be read
  std::uint64_t kernel_drops = 0;     ///< dropped by the kernel: the socket's buffer was full
  std::uint64_t unsent = 0;           ///< datagrams with a reply the kernel would not take
  std::uint64_t tcp_connections = 0;  ///< taken
  std::uint64_t tcp_refused = 0;      ///< not taken: too many in total or of one source
  std::uint64_t tcp_displaced = 0;    ///< closed: quiet, and its place was needed
  std::uint64_t tcp_timeouts = 0;     ///< closed: no request for `tcp_timeout`
  std::uint64_t tcp_slow = 0;         ///< closed: did not fetch its replies
  std::uint64_t tcp_bad_frames = 0;   ///< closed: a frame of a forbidden length
  std::uint64_t no_memory = 0;        ///< dropped, or the connection closed: there was none
  std::array<std::uint64_t, kVersionsCounted> versions{};  ///< requests; 0 = any other version

  ServerCounters& operator+=(const ServerCounters& other);
  friend bool operator==(const ServerCounters&, const ServerCounters&) = default;
};

/// A number one thread counts up and any thread reads.
class Counter {
 public:
  void add(std::uint64_t more) {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t read() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// The counters of one worker: no line of the cache is written by two threads.
struct alignas(64) WorkerCounters {
  Counter checks, hits, delayed, hidden, adds, deletes, stats, pings, refused, repeats;
  Counter invalid, undecryptable, blocked, ratelimited, unknown_keys, agreements, too_late;
  Counter kernel_drops, unsent;
  Counter tcp_connections, tcp_refused, tcp_displaced, tcp_timeouts, tcp_slow, tcp_bad_frames;
  Counter no_memory;
  std::array<Counter, kVersionsCounted> versions;

  /// A request of this version byte was understood.
  void count_version(std::uint8_t byte) {
    const std::uint8_t version = byte & 0x0fU;  // above it are flags
    versions[version < kVersionsCounted ? version : 0].add(1);
  }

  [[nodiscard]] ServerCounters read() const;
};

}  // namespace shingled::storage::server
