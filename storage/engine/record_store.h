#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "mime/fingerprint/fingerprint.h"
#include "storage/engine/engine_counters.h"
#include "storage/engine/index_hash.h"
#include "storage/engine/number_map.h"
#include "storage/engine/pages.h"
#include "storage/model/flag_set.h"

namespace shingled::storage::engine {

/// What stands in a record beside its digest and shingles.
struct RecordState {
  std::int64_t row = 0;  ///< id in the file; below 2^40
  FlagSet flags;         ///< never empty
  std::uint32_t created = 0;
  std::uint32_t updated = 0;

  friend bool operator==(const RecordState&, const RecordState&) = default;
};

/// What changes of records take: numbers, and places for the lists of those on more than one.
struct RecordNeeds {
  std::uint64_t records = 0;
  std::uint64_t flag_sets = 0;

  void count_lists(const FlagSet& flags) {
    if (flags.size() > 1) ++flag_sets;
  }
};

/// Records by number: 96 bytes each, 128 more with shingles. Numbers come in blocks of one kind, so
/// that a direct hash does not pay for shingles it has not. A block without records has no memory.
///
/// Invariants: digest and shingles of a number do not change between `add` and `release`; flags
/// are of one piece (more than one flag lives in a FlagSet of its own, replaced as a whole).
/// Threads: one writer; readers under a ReadGate::Pass, for numbers they found in a NumberMap.
class RecordStore {
 public:
  /// How many more of each surely fit, whatever kind of records.
  [[nodiscard]] RecordNeeds room() const;
  /// Places for lists: a record has 24 bits for the number of its own, and 0 is none.
  static constexpr std::uint32_t kFlagSetsMax = (std::uint32_t{1} << 24U) - 1;
  /// Takes a number for a new record; there must be room, and `state.row` is below 2^40.
  std::uint32_t add(const Digest& digest, const RecordState& state, const SlotLows* shingles);
  void update(std::uint32_t number, const RecordState& state);
  /// The number may be given again after `reuse_released`.
  void release(std::uint32_t number);
  void reuse_released();
  /// As `release`, but the number is never given again.
  void retire(std::uint32_t number);

  /// Starts to bring digest and state into the cache.
  void prefetch(std::uint32_t number) const {
    const auto* head = reinterpret_cast<const char*>(&heads_[number]);
    __builtin_prefetch(head);
    __builtin_prefetch(head + sizeof(Head) - 1, 1);
  }
  [[nodiscard]] const Digest& digest(std::uint32_t number) const { return heads_[number].digest; }
  [[nodiscard]] RecordState state(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t updated(std::uint32_t number) const;
  [[nodiscard]] bool has_shingles(std::uint32_t number) const;
  /// Starts to bring the indexed slots into the cache.
  void prefetch_indexed(std::uint32_t number) const { __builtin_prefetch(&lows_[number]); }
  /// Starts to bring the rest of the slots, digest and state into the cache.
  void prefetch_match(std::uint32_t number) const {
    __builtin_prefetch(&lows_[number].of_slot[kIndexedSlots]);
    prefetch(number);
  }
  /// Only for a record that has some.
  [[nodiscard]] const SlotLows& shingles(std::uint32_t number) const { return lows_[number]; }

  /// It answered a question. For any thread; stops at kHitsMax.
  void count_hit(std::uint32_t number) const {
    std::atomic<std::uint32_t>& hits = heads_[number].hits;
    if (hits.load(std::memory_order_relaxed) < kHitsMax)
      hits.fetch_add(1, std::memory_order_relaxed);
  }
  /// How often, since it came into the index. For any thread.
  [[nodiscard]] std::uint32_t hits(std::uint32_t number) const {
    return heads_[number].hits.load(std::memory_order_relaxed);
  }
  /// Readers that count at the same time may go beyond it by their number.
  static constexpr std::uint32_t kHitsMax = 4'000'000'000;

  /// How many records stand on which list. For any thread.
  [[nodiscard]] const FlagTotals& flag_totals() const { return flag_totals_; }
  [[nodiscard]] std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  /// Numbers above have never been given: the end for a walk over all of them. For any thread.
  [[nodiscard]] std::uint32_t number_end() const {
    return next_block_.load(std::memory_order_acquire);
  }
  /// Is there a record of this number? For the writer.
  [[nodiscard]] bool is_live(std::uint32_t number) const;

 private:
  static constexpr std::size_t kBlock = 1024;
  static constexpr std::size_t kBlocks = (std::size_t{kNumberMax} + 1) / kBlock;

  /// `row_and_set`: low 40 bits the row (0 = no record), high 24 bits which FlagSet (0 = `flag` is
  /// all there is).
  struct alignas(32) Head {  // lies in two cache lines, never in three
    Digest digest;
    std::atomic<std::uint64_t> flag;   ///< value << 32 | flag
    std::atomic<std::uint64_t> times;  ///< updated << 32 | created
    std::atomic<std::uint64_t> row_and_set;
    std::atomic<std::uint32_t> hits;
  };
  static_assert(sizeof(Head) == 96);
  static constexpr unsigned kRowBits = 40;
  static constexpr std::uint64_t kRowMask = (std::uint64_t{1} << kRowBits) - 1;
  static_assert(kFlagSetsMax <= UINT64_MAX >> kRowBits);
  static_assert(kFlagSetsMax < kBlock * (kBlocks / 4), "there is a place for each");

  struct Kind {
    std::vector<std::uint32_t> free;
    std::vector<std::uint32_t> released;
  };

  std::uint32_t take_number(bool with_shingles);
  std::uint32_t take_set(const FlagSet& flags);
  void clear(std::uint32_t number);
  void write_state(Head& head, const RecordState& state);

  BlockArray<Head, kBlock, kBlocks> heads_;
  BlockArray<SlotLows, kBlock, kBlocks> lows_;
  BlockArray<FlagSet, kBlock, kBlocks / 4> sets_;
  std::array<Kind, 2> kinds_;  ///< [with shingles]
  std::vector<std::uint32_t> free_sets_;
  std::vector<std::uint32_t> released_sets_;
  std::atomic<std::uint32_t> next_block_{0};  ///< numbers given to blocks so far
  std::uint32_t next_set_ = 1;
  std::vector<bool> block_has_shingles_;
  std::vector<std::uint32_t> block_used_;  ///< numbers of the block that are not free
  std::atomic<std::uint64_t> size_{0};
  FlagTotals flag_totals_;
};

}  // namespace shingled::storage::engine
