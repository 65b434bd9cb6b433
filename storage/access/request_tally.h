#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/random.h"
#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"
#include "config/system/socket_address.h"

namespace shingled::storage::access {

/// The outcome of a request. Each request is counted with one outcome, by key and by source.
enum class RequestOutcome : std::uint8_t {
  kMatched,      ///< CHECK with a match
  kUnmatched,    ///< CHECK without a match
  kAdded,        ///< WRITE, acknowledged
  kDeleted,      ///< DEL, acknowledged
  kRefused,      ///< answered with a refusal
  kRateLimited,  ///< over a rate limit
  kDropped,      ///< not answered: blocked, not a valid command, or cannot be decrypted
  kOther,        ///< STAT, PING, the repeat of an update
};
inline constexpr std::size_t kOutcomes = 8;
inline constexpr std::array<std::string_view, kOutcomes> kOutcomeNames = {
    "matched", "unmatched", "added", "deleted", "refused", "ratelimited", "dropped", "other"};

/// The number of requests with each outcome.
struct RequestOutcomeCounts {
  std::array<std::uint64_t, kOutcomes> counts{};

  [[nodiscard]] std::uint64_t of(RequestOutcome outcome) const {
    return counts[static_cast<std::size_t>(outcome)];
  }
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts) all += count;
    return all;
  }
  RequestOutcomeCounts& operator+=(const RequestOutcomeCounts& other) {
    for (std::size_t i = 0; i < kOutcomes; ++i) counts[i] += other.counts[i];
    return *this;
  }
  friend bool operator==(const RequestOutcomeCounts&, const RequestOutcomeCounts&) = default;
};

/// Counts the requests that use one key, since the start.
/// Threads: any thread.
/// Cost: one atomic addition, on a cache line that a worker shares with every kStripes-th other
/// worker; 512 bytes per key.
class KeyTally {
 public:
  void count(std::size_t worker, RequestOutcome outcome) {
    stripes_[worker % kStripes].counts[static_cast<std::size_t>(outcome)].add();
  }
  [[nodiscard]] RequestOutcomeCounts read() const {
    RequestOutcomeCounts sum;
    for (const Stripe& stripe : stripes_) {
      for (std::size_t i = 0; i < kOutcomes; ++i) sum.counts[i] += stripe.counts[i].read();
    }
    return sum;
  }

 private:
  static constexpr std::size_t kStripes = 8;
  struct alignas(64) Stripe {
    std::array<EventCount, kOutcomes> counts;
  };
  std::array<Stripe, kStripes> stripes_;
};

/// Counts requests and their outcomes by network, for the networks that send most, in a table of
/// fixed size.
///
/// A network is an IPv4 /24 or an IPv6 /64. If the part of the table for a new network is full, the
/// network replaces the lightest network there and takes over its weight (the space-saving
/// algorithm, Metwally et al. 2005). So a network that sends more than an eighth of the requests of
/// its part stays, while forged sources replace each other. The counts of a network that was
/// replaced are added to `other`, so no request is lost. The counts of a network begin when it last
/// got a place.
///
/// Threads: `note` from one thread, `read` from any. There is no lock: a reader that finds a half
/// replaced place reads it again.
/// Cost: a multiplication and three cache lines; 40 KiB.
class SourceTally {
 public:
  static constexpr std::size_t kSets = 64;
  static constexpr std::size_t kWays = 8;
  static constexpr std::size_t kPlaces = kSets * kWays;
  static constexpr int kBitsV4 = 24;
  static constexpr int kBitsV6 = 64;

  /// `random` gives a secret: nobody can choose addresses that share the part of a victim.
  explicit SourceTally(Random& random) : secret_(random.next_u64() | 1) {}

  void count(const IpAddress& ip, RequestOutcome outcome);

  struct Entry {
    Network network;
    RequestOutcomeCounts counts;
  };
  struct Reading {
    std::vector<Entry> entries;  ///< not sorted
    RequestOutcomeCounts other;  ///< of all networks that lost their place
  };
  [[nodiscard]] Reading read() const;

 private:
  using Counts = std::array<std::atomic<std::uint64_t>, kOutcomes>;
  struct alignas(64) Set {
    std::array<std::uint64_t, kWays> weights{};             // 0 = free; only the writer uses them
    std::array<std::atomic<std::uint64_t>, kWays> names{};  // of networks
    std::array<std::atomic<std::uint64_t>, kWays> turns{};  // odd while a place gets a new owner
    std::array<Counts, kWays> counts{};
  };
  /// Returns the place of a network. If it has none, it gets the lightest place, with counts of 0.
  std::size_t place_of(Set& set, std::uint64_t name);
  void give_away(Set& set, std::size_t place, std::uint64_t name);

  std::uint64_t secret_;
  Counts other_{};
  std::array<Set, kSets> sets_{};
};

/// The requests of one key, for the report.
struct KeyReading {
  std::string id;    ///< the first bytes of the public key; "none" for plain requests
  std::string name;  ///< as configured, or empty
  RequestOutcomeCounts counts;
};

inline constexpr std::size_t kKeysTold = 256;  ///< the keys with most requests; others are one sum
inline constexpr std::size_t kSourcesTold = 64;  ///< the same for networks

/// Reports `shingled_server_key_requests` by key and result. The report contains no secrets.
void report_keys(std::vector<KeyReading> keys, MetricReport& report);

/// Reports `shingled_server_source_requests` by network and result, for all workers together. These
/// are gauges, not counters, because the counts of a network that loses its place move to "other".
void report_sources(const std::vector<SourceTally::Reading>& workers, MetricReport& report);

}  // namespace shingled::storage::access
