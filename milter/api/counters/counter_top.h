#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "config/base/result.h"
#include "storage/counters/counter_store.h"

namespace shingled::milter::api {

/// Which counters are looked for.
struct TopQuestion {
  std::optional<storage::counters::Direction> direction = {};  ///< empty = both
  std::optional<PieceType> type = {};                          ///< empty = all
  storage::counters::Measure measure = storage::counters::Measure::kMass;
  storage::counters::Window window{storage::counters::Period::Unit::kDay, 1, 0};
  bool rising = false;  ///< by how much more there is than in the same window before
  std::size_t most = 20;
};

struct TopCounter {
  storage::counters::CounterKey key;
  std::uint64_t count = 0;
  std::uint64_t before = 0;  ///< in the window before; 0 unless `rising`
  friend bool operator==(const TopCounter&, const TopCounter&) = default;
};

/// The greatest counters of a store, the greatest first; none with 0, and of rising ones none that
/// did not rise.
/// Errors:  kInvalid (`rising`, and the window before is not kept any more), those of the cursor,
///          kTimeout (a stop was requested).
/// Threads: any thread.
/// Cost:    reads all counters; memory for `most` of them.
Result<std::vector<TopCounter>> find_top(storage::counters::CounterStore& store,
                                         const TopQuestion& question, const std::stop_token& stop);

}  // namespace shingled::milter::api
