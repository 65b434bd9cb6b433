#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/base/random.h"
#include "config/system/socket_address.h"
#include "storage/access/request_outcome.h"

namespace shingled::storage::access {

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

}  // namespace shingled::storage::access
