#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "storage/counters/counter.h"
#include "storage/counters/series.h"

namespace shingled::storage::counters {

/// Sums of counters that were asked for, so that a frequent counter with many periods is not read
/// from the files again.
///
/// Sums are kept with what they are sums of and only found again for the same: the set of files,
/// the present slot and the windows. So they need not be removed when one of these changes; they
/// are overwritten, the oldest first.
///
/// Threads: any thread; a lock per shard.
/// Cost:    about 80 bytes per counter for four windows, about 0.1 µs for one that is there.
class SumCache {
 public:
  /// `bytes_max`: of memory; it is taken when it is needed. 0 = nothing is kept.
  explicit SumCache(std::uint64_t bytes_max);

  /// What sums are of.
  struct Basis {
    std::uint64_t files = 0;    ///< number of the set of files; another set never has the same
    Slot now = 0;               ///< the present slot
    std::uint32_t windows = 0;  ///< `number_of` the windows
    friend bool operator==(const Basis&, const Basis&) = default;
  };
  /// nullopt if sums of so many windows are not kept.
  std::optional<std::uint32_t> number_of(std::span<const Window> windows);

  /// Gives the sums, one for each window; false if they are not there.
  bool find(const Basis& basis, const CounterKey& key, std::span<Amounts> sums) const;
  void insert(const Basis& basis, const CounterKey& key, std::span<const Amounts> sums);

  /// Memory that is used.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  /// A ring of records and an index of it. A position counts all bytes that were ever written, so
  /// one that is too old says that its record was overwritten.
  struct Shard {
    std::unique_ptr<std::uint8_t[]> ring;  // NOLINT(*-avoid-c-arrays): uninitialised, so untouched
    std::vector<std::uint64_t> index;      ///< position + 1 by hash; 0 = none
    std::uint64_t written = 0;
  };
  static constexpr std::size_t kShards = 64;
  /// More sets of windows than this take turns.
  static constexpr std::size_t kWindowSetsMax = 64;
  struct WindowSets {
    std::vector<std::pair<std::vector<Window>, std::uint32_t>> sets;
    std::uint32_t next = 1;
  };

  [[nodiscard]] std::size_t place_of(const CounterKey& key) const;

  std::size_t index_entries_ = 0;  ///< of a shard; a power of two
  std::size_t ring_bytes_ = 0;     ///< of a shard
  mutable std::array<Guarded<Shard>, kShards> shards_;
  Guarded<WindowSets> windows_;
};

}  // namespace shingled::storage::counters
