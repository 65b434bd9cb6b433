#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/random.h"
#include "config/options/storage_options.h"
#include "storage/access/access.h"
#include "storage/model/fuzzy_store.h"
#include "storage/server/pending_updates.h"
#include "storage/server/server_counters.h"

namespace shingled::storage::server {

/// Limits of the TCP connections of all workers together.
struct StreamLimits {
  static constexpr std::size_t kReservedShare = 16;

  Duration timeout{};               ///< a connection without a request for this time is closed
  std::size_t connections_max = 0;  ///< open at the same time
  std::size_t source_connections_max = 0;  ///< of one source
  std::size_t reserved_connections = 0;    ///< of connections_max, for trusted sources
  std::uint64_t unsent_bytes_max = 0;      ///< replies that clients do not read

  static StreamLimits of(const ServerOptions& options) {
    return {options.tcp_timeout, options.tcp_connections_max, options.tcp_source_connections_max,
            options.tcp_connections_max / kReservedShare, options.tcp_unsent_bytes_max};
  }
};

/// The present rights, keys and limits. Workers compare the version number and lock only if it has
/// changed.
/// Threads: any thread.
class AccessSource {
 public:
  struct Snapshot {
    std::shared_ptr<const access::Access> access;
    std::size_t key_cache_size = 0;
    Duration queue_wait_max{};
    StreamLimits streams;
  };
  explicit AccessSource(Snapshot snapshot) : snapshot_(std::in_place, std::move(snapshot)) {}

  void set(Snapshot snapshot) {
    *snapshot_.lock() = std::move(snapshot);
    version_.fetch_add(1, std::memory_order_release);
  }
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  [[nodiscard]] Snapshot get() { return *snapshot_.lock(); }

 private:
  std::atomic<std::uint64_t> version_{1};
  Guarded<Snapshot> snapshot_;
};

/// What all workers of a server share. References; everything outlives the workers.
struct WorkerShared {
  FuzzyStore& store;
  Clock& clock;
  Random& random;
  AccessSource& access;
  PendingUpdates& pending;
  LossReport& losses;
};

/// After a stop, a worker waits at most this time for the updates in progress.
inline constexpr Duration kDrainMax = std::chrono::seconds(10);
inline constexpr int kDrainPollMs = 10;
/// The name of the worker's mailbox in epoll events.
inline constexpr std::uint64_t kMailboxEvent = ~std::uint64_t{0};

/// Makes `epoll` wait for input of `fd`; its events carry `name`.
inline void watch_input(int epoll, int fd, std::uint64_t name) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = name;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace shingled::storage::server
