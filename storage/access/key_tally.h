#pragma once

#include <array>
#include <cstddef>

#include "config/metrics/instruments.h"
#include "storage/access/request_outcome.h"

namespace shingled::storage::access {

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

}  // namespace shingled::storage::access
