#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/base/prefetch.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/engine/engine_counters.h"
#include "storage/engine/number_map.h"
#include "storage/engine/pages.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::engine {

/// Tells one writer when no reader can still see what it removed; readers never wait.
///
/// A reader holds a Pass while it looks. The writer unlinks something, calls `wait_for_readers`,
/// and then frees or reuses it. There are two phases of counters. The writer sends new readers to
/// the other phase and waits until the old one has no readers. It does so twice, to catch a reader
/// that read the phase long ago and counts itself only now.
///
/// Why it is enough: a reader counts itself, and the writer looks at the count, both with a
/// read-modify-write of one counter, so one is before the other. Either the writer sees the reader,
/// or the reader comes later and sees what the writer did before.
/// Threads: any thread reads, one writes.
/// Cost: two uncontended atomic additions for a Pass.
class ReadGate {
 public:
  class Pass {
   public:
    explicit Pass(const ReadGate& gate);
    ~Pass() { counter_.fetch_sub(1, std::memory_order_release); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    Pass(Pass&&) = delete;
    Pass& operator=(Pass&&) = delete;

   private:
    std::atomic<std::uint32_t>& counter_;
  };

  /// Returns when all Passes that existed at the call are gone. New ones do not delay it.
  void wait_for_readers();

 private:
  static constexpr std::size_t kStripes = 16;  ///< so that readers seldom share a cache line
  struct alignas(64) Stripe {
    std::array<std::atomic<std::uint32_t>, 2> readers{};
  };
  [[nodiscard]] std::atomic<std::uint32_t>& counter_of_this_thread() const;

  mutable std::array<Stripe, kStripes> stripes_;
  std::atomic<std::uint32_t> phase_{0};
};

/// The part of a record that is not its digest and shingles.
struct RecordState {
  std::int64_t row = 0;  ///< id in the file; below 2^40
  FlagSet flags;         ///< never empty
  std::uint32_t created = 0;
  std::uint32_t updated = 0;

  friend bool operator==(const RecordState&, const RecordState&) = default;
};

/// The room that changes of records need: numbers, and places for the FlagSets of records on more
/// than one list.
struct RecordNeeds {
  std::uint64_t records = 0;
  std::uint64_t flag_sets = 0;

  void count_lists(const FlagSet& flags) {
    if (flags.size() > 1) ++flag_sets;
  }
};

/// Records by number: 96 bytes each, and 128 more with shingles. Numbers are given out in blocks of
/// one kind, so that a hash without shingles needs no memory for them. A block without records has
/// no memory.
///
/// Invariants: digest and shingles of a number do not change between `add` and `release`. A reader
/// never sees half of a change of flags: two or more flags are in a FlagSet, which is replaced as a
/// whole.
/// Threads: one writer; readers under a ReadGate::Pass, for numbers that they found in a NumberMap.
class RecordStore {
 public:
  /// How many more of each certainly fit, with or without shingles.
  [[nodiscard]] RecordNeeds room() const;
  /// Places for FlagSets: a record has 24 bits for the number of its set, and 0 means: none.
  static constexpr std::uint32_t kFlagSetsMax = (std::uint32_t{1} << 24U) - 1;
  /// Stores a new record and returns its number. There must be room, and `state.row` must be below
  /// 2^40.
  std::uint32_t add(const Digest& digest, const RecordState& state, const SlotLows* shingles);
  void update(std::uint32_t number, const RecordState& state);
  /// Removes the record. Its number may be given out again after `reuse_released`.
  void release(std::uint32_t number);
  void reuse_released();
  /// Like `release`, but the number is never given out again.
  void retire(std::uint32_t number);

  /// Starts to bring digest and state into the cache.
  void prefetch(std::uint32_t number) const {
    const auto* head = reinterpret_cast<const char*>(&heads_[number]);
    prefetch_line(head);
    prefetch_line(head + sizeof(Head) - 1);
  }
  [[nodiscard]] const Digest& digest(std::uint32_t number) const { return heads_[number].digest; }
  [[nodiscard]] RecordState state(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t updated(std::uint32_t number) const;
  [[nodiscard]] bool has_shingles(std::uint32_t number) const;
  /// Starts to bring the indexed slots into the cache.
  void prefetch_indexed(std::uint32_t number) const { prefetch_line(&lows_[number]); }
  /// Starts to bring the rest of the slots, digest and state into the cache.
  void prefetch_match(std::uint32_t number) const {
    prefetch_line(&lows_[number].of_slot[kIndexedSlots]);
    prefetch(number);
  }
  /// Only for a record that has some.
  [[nodiscard]] const SlotLows& shingles(std::uint32_t number) const { return lows_[number]; }

  /// Counts that the record was the answer to a question; stops at kHitsMax. For any thread.
  void count_hit(std::uint32_t number) const {
    std::atomic<std::uint32_t>& hits = heads_[number].hits;
    if (hits.load(std::memory_order_relaxed) < kHitsMax)
      hits.fetch_add(1, std::memory_order_relaxed);
  }
  /// How often it was an answer since it came into the index. For any thread.
  [[nodiscard]] std::uint32_t hits(std::uint32_t number) const {
    return heads_[number].hits.load(std::memory_order_relaxed);
  }
  /// Readers that count at the same time may exceed this by their number.
  static constexpr std::uint32_t kHitsMax = 4'000'000'000;

  /// How many records are on each list. For any thread.
  [[nodiscard]] const FlagTotals& flag_totals() const { return flag_totals_; }
  [[nodiscard]] std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  /// Numbers from here on were never given out: the end of a walk over all of them. For any thread.
  [[nodiscard]] std::uint32_t number_end() const {
    return next_block_.load(std::memory_order_acquire);
  }
  /// Whether there is a record with this number. For the writer.
  [[nodiscard]] bool is_live(std::uint32_t number) const;

 private:
  static constexpr std::size_t kBlock = 1024;
  static constexpr std::size_t kBlocks = (std::size_t{kNumberMax} + 1) / kBlock;

  /// `row_and_set`: the low 40 bits are the row (0 = no record), the high 24 bits the number of the
  /// FlagSet (0 = the record is on one list only, `flag`).
  struct alignas(32) Head {  // never more than two cache lines
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
  std::array<Kind, 2> kinds_;  ///< index: 1 = with shingles
  std::vector<std::uint32_t> free_sets_;
  std::vector<std::uint32_t> released_sets_;
  std::atomic<std::uint32_t> next_block_{0};  ///< end of the numbers that belong to blocks
  std::uint32_t next_set_ = 1;
  std::vector<bool> block_has_shingles_;
  std::vector<std::uint32_t> block_used_;  ///< per block: its numbers that are not free
  std::atomic<std::uint64_t> size_{0};
  FlagTotals flag_totals_;
};

}  // namespace shingled::storage::engine
