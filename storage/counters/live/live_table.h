#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "storage/counters/counter.h"

namespace shingled::storage::counters {

/// The counters of one period of ten minutes, in memory.
///
/// 256 shards by the first byte of the shingle. A shard is one array with linear probing in which
/// the cells are always sorted, because a cell's place grows with its key: an unsuccessful search
/// ends at the first larger key, and a file is written from the table without sorting. That works
/// because shingles are keyed hashes, spread evenly, and nobody without the key can choose them.
///
/// Threads: any thread; a lock per shard.
/// Cost:    16 bytes per cell at 70 to 85 % load, so 19 to 23 bytes per counter; 64 more for the
///          few whose counts do not fit into a cell. About 50 ns an update.
class LiveTable {
 public:
  explicit LiveTable(Slot slot) : slot_(slot) {}

  [[nodiscard]] Slot slot() const { return slot_; }

  /// Adds to a counter, and gives what its mass was before. `more` must not be zero.
  /// Errors: throws std::bad_alloc without memory; then nothing was added, and all counters read
  ///         as before.
  std::uint64_t add(const CounterKey& key, const Amounts& more);
  /// All zeros if the counter is not there.
  [[nodiscard]] Amounts find(const CounterKey& key) const;
  /// Has the memory fetch what `find` reads of these, all at once. Changes no answer.
  /// Cost: a lock for each key, which one `find` takes, too; without it a `find` waits twice.
  void prefetch(std::span<const CounterKey> keys) const;

  /// Counters and bytes of memory; exact between two changes.
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t memory_bytes() const { return bytes_.load(std::memory_order_relaxed); }

  /// Every counter, sorted by key. Copies a shard at a time, so `take` may be slow.
  void for_each(const std::function<void(const CounterKey&, const Amounts&)>& take) const;

  static constexpr std::size_t kShards = 256;
  /// The counters whose shingle begins with this byte, sorted by key.
  void read_shard(std::size_t first, std::vector<std::pair<CounterKey, Amounts>>& counters) const;

 private:
  /// 56 bits of the shingle (the shard has the others) and the tag; the counts in 64 bits, or the
  /// number of wide counts. Both are 0 in a free cell.
  struct Cell {
    std::uint64_t key = 0;
    std::uint64_t counts = 0;
  };
  struct Shard {
    std::vector<Cell> cells;
    std::size_t places = 0;  ///< cells that keys are spread over; after them is room for overflow
    std::size_t used = 0;
    std::deque<Amounts> wide;
  };
  static constexpr unsigned kShardShift = 56;
  /// Adds to `bytes`, at its end, what a shard has grown by; after an exception, too.
  class BytesOf {
   public:
    BytesOf(const Shard& shard, std::atomic<std::size_t>& bytes)
        : shard_(shard), bytes_(bytes), before_(bytes_of(shard)) {}
    ~BytesOf() {
      const std::size_t grown = bytes_of(shard_) - before_;
      if (grown != 0) bytes_.fetch_add(grown, std::memory_order_relaxed);
    }
    BytesOf(const BytesOf&) = delete;
    BytesOf& operator=(const BytesOf&) = delete;

   private:
    static std::size_t bytes_of(const Shard& shard) {
      return shard.cells.size() * sizeof(Cell) + shard.wide.size() * sizeof(Amounts);
    }
    const Shard& shard_;
    std::atomic<std::size_t>& bytes_;
    const std::size_t before_;
  };

  static std::size_t place_of(std::size_t places, std::uint64_t key);
  /// The cell of the key, or the one before which it belongs.
  static std::size_t search(const Shard& shard, std::uint64_t key);
  static Amounts counts_of(const Shard& shard, const Cell& cell);
  static void set_counts(Shard& shard, Cell& cell, const Amounts& amounts);
  /// The free cell from `at` on that an insertion fills; after it another one stays free.
  static std::size_t make_room(Shard& shard, std::size_t at);
  /// Moves the cells from `at` on by one, into the free cell `end`.
  static void insert(Shard& shard, std::size_t at, std::size_t end, const Cell& cell);
  static void grow(Shard& shard);

  const Slot slot_;
  std::atomic<std::size_t> size_{0};
  std::atomic<std::size_t> bytes_{sizeof(LiveTable)};
  mutable std::array<Guarded<Shard>, kShards> shards_;
};

}  // namespace shingled::storage::counters
