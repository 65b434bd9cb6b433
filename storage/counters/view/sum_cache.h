#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "storage/counters/counter.h"

namespace shingled::storage::counters {

/// Sums of counters that were asked for, so that a frequent counter with many periods is not read
/// from the files again.
///
/// Sums are kept with what they are sums of and only found again for the same: the set of files,
/// the present slot and the windows. So they need not be removed when one of these changes; they
/// are overwritten, the oldest first.
///
/// Threads: any thread; a lock per shard.
/// Cost:    about 80 bytes per counter for four windows. A look-up is a cache miss, and another one
///          for a counter that is there.
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

  /// For many look-ups at once: begin them all, so that the memory fetches them meanwhile.
  void prefetch(std::span<const CounterKey> keys) const;
  /// Gives the sums, one for each window; false if they are not there.
  bool find(const Basis& basis, const CounterKey& key, std::span<Amounts> sums) const;
  void insert(const Basis& basis, const CounterKey& key, std::span<const Amounts> sums);

  /// Memory that is used.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  /// A ring of records and its part of the index. A position counts all bytes that were ever
  /// written, so one that is too old says that its record was overwritten.
  struct Shard {
    std::unique_ptr<std::uint8_t[]> ring;  // NOLINT(*-avoid-c-arrays): uninitialised, so untouched
    std::uint64_t written = 0;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  static constexpr std::size_t kShards = 64;
  /// More sets of windows than this take turns.
  static constexpr std::size_t kWindowSetsMax = 64;
  struct WindowSets {
    std::vector<std::pair<std::vector<Window>, std::uint32_t>> sets;
    std::uint32_t next = 1;
  };

  /// Where a key belongs in the index, and the bits of its hash that stand there.
  struct Place {
    std::size_t shard = 0;
    std::size_t at = 0;
    std::uint64_t mark = 0;
  };
  [[nodiscard]] Place place_of(const CounterKey& key) const;

  std::size_t index_entries_ = 0;  ///< of a shard; a power of two
  std::size_t ring_bytes_ = 0;     ///< of a shard
  /// Of all shards, each part with the lock of its shard. Zeros that take no memory until something
  /// is inserted; nothing if there is no cache.
  std::unique_ptr<std::uint64_t[], Free> index_;  // NOLINT(*-avoid-c-arrays)
  mutable std::array<Guarded<Shard>, kShards> shards_;
  Guarded<WindowSets> windows_;
};

}  // namespace shingled::storage::counters
