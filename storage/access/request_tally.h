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

/// What became of a request. Each is counted as one of these, by key and by source.
enum class RequestOutcome : std::uint8_t {
  kMatched,      ///< a question answered with a hash
  kUnmatched,    ///< a question answered without one
  kAdded,        ///< an addition acknowledged
  kDeleted,      ///< a deletion acknowledged
  kRefused,      ///< answered that it may not be
  kRateLimited,  ///< came too often
  kDropped,      ///< no answer: blocked, no command, not to be decrypted
  kOther,        ///< STAT, PING, the repeat of an update
};
inline constexpr std::size_t kOutcomes = 8;
inline constexpr std::array<std::string_view, kOutcomes> kOutcomeNames = {
    "matched", "unmatched", "added", "deleted", "refused", "ratelimited", "dropped", "other"};

/// How many requests had which outcome.
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

/// The requests of those who know one key, since the start.
/// Threads: any thread.
/// Cost: one atomic addition, on a line of the cache that a worker shares with every kStripes-th
/// other one; 512 bytes a key.
class KeyTally {
 public:
  void note(std::size_t worker, RequestOutcome outcome) {
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

/// Which networks ask, and what becomes of it: those that come often, in a table of fixed size.
///
/// A network is an IPv4 /24 or an IPv6 /64. Who finds no place in his part of the table takes that
/// of the lightest there, and its weight with it (space-saving, Metwally et al. 2005): so a network
/// that sends more than an eighth of its part's requests stays, while forged sources push out their
/// like. What those who left had counted is kept in `other`: nothing is lost, and the counts of a
/// network begin when it came in last.
///
/// Threads: `note` from one, `read` from any. No lock: what a reader finds half replaced he reads
/// again.
/// Cost: a multiplication and three lines of the cache; 40 KiB.
class SourceTally {
 public:
  static constexpr std::size_t kSets = 64;
  static constexpr std::size_t kWays = 8;
  static constexpr std::size_t kPlaces = kSets * kWays;
  static constexpr int kBitsV4 = 24;
  static constexpr int kBitsV6 = 64;

  /// Its part of the table is secret, so that nobody can choose addresses that push out another.
  explicit SourceTally(Random& random) : secret_(random.next_u64() | 1) {}

  void note(const IpAddress& ip, RequestOutcome outcome);

  struct Entry {
    Network network;
    RequestOutcomeCounts counts;
  };
  struct Reading {
    std::vector<Entry> entries;  ///< in no order
    RequestOutcomeCounts other;  ///< of all that have no place any more
  };
  [[nodiscard]] Reading read() const;

 private:
  using Counts = std::array<std::atomic<std::uint64_t>, kOutcomes>;
  struct alignas(64) Set {
    std::array<std::uint64_t, kWays> weights{};             // 0 = free; of the writer alone
    std::array<std::atomic<std::uint64_t>, kWays> names{};  // of networks
    std::array<std::atomic<std::uint64_t>, kWays> turns{};  // odd while a place is given away
    std::array<Counts, kWays> counts{};
  };
  /// The place of a network; the lightest one, emptied, if it has none.
  std::size_t place_of(Set& set, std::uint64_t name);
  void give_away(Set& set, std::size_t place, std::uint64_t name);

  std::uint64_t secret_;
  Counts other_{};
  std::array<Set, kSets> sets_{};
};

/// The requests of one key as they are told.
struct KeyReading {
  std::string id;    ///< the beginning of the public key; "none" for requests in the clear
  std::string name;  ///< as configured, or empty
  RequestOutcomeCounts counts;
};

inline constexpr std::size_t kKeysTold = 256;    ///< those with most requests; others together
inline constexpr std::size_t kSourcesTold = 64;  ///< the same for networks

/// `shingled_server_key_requests` by key and result. Nothing secret is in it.
void report_keys(std::vector<KeyReading> keys, MetricReport& report);

/// `shingled_server_source_requests` by network and result, of all workers together. Gauges, not
/// counters: what falls out of a table or of the list goes to "other".
void report_sources(const std::vector<SourceTally::Reading>& workers, MetricReport& report);

}  // namespace shingled::storage::access
