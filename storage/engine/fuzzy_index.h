#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "storage/engine/number_map.h"
#include "storage/engine/record_store.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::engine {

inline constexpr std::uint32_t kSlotOwnersMax = 1024;  ///< upper limit of `slot_owners_max`

/// Everything a CHECK needs, in memory: digest -> record, and (slot, shingle) -> owners.
///
/// Only the first kIndexedSlots slots have owners. Two texts that agree in enough slots for a match
/// agree in at least one of these. All slots of a record that was found there are then compared
/// with those of the question.
///
/// A look-up waits for the memory in rounds instead of slot by slot: first for all buckets
/// together, then for the overflow of the buckets that were full, then for the records that may
/// match.
///
/// A slot has at most `slot_owners_max` owners. One more owner replaces the one with the oldest
/// `updated`, unless its own is older still; then this slot does not get it, but its other slots
/// may. So the newest texts of a campaign are found, and in a crowded slot old ones fade. A slot
/// also refuses an owner for which there is no place within NumberMap::kWayMax buckets.
///
/// Shingles are compared by their hashes: by 60 bits in the slot where a record was found, by 32
/// bits in its other slots. So one slot in 4e9 is counted wrongly, and a match needs 17. A look-up
/// may miss a record that is just being added or removed.
///
/// An answer of `check` or `check_batch` counts as a hit of its record.
///
/// One class in two files, `add` in its own: readers rely on the order in which it writes the same
/// maps and records that `remove` and the look-ups use.
/// Threads: `check`, `check_batch`, `check_all`, `most_hit` and `place_of` from any thread, they
/// never wait; the rest from one writer.
class FuzzyIndex {
 public:
  struct Options {
    std::uint32_t slot_owners_max = 16;                       ///< 1 to kSlotOwnersMax
    std::uint32_t expire_seconds = 0;                         ///< 0 = never
    std::uint32_t flag_sets_max = RecordStore::kFlagSetsMax;  ///< records on several lists
  };
  explicit FuzzyIndex(const Options& options);

  struct NewRecord {
    Fingerprint fingerprint;
    RecordState state;
    std::uint32_t replaces = 0;  ///< old record of the digest (0 = none); the caller removes it
  };

  // ---- readers ----
  [[nodiscard]] std::optional<Match> check(const Digest& digest, const Shingles* shingles,
                                           std::uint32_t now) const;
  /// See FuzzyStore::check_batch.
  void check_batch(std::span<const Question> questions, std::uint32_t now,
                   std::span<std::optional<Match>> answers) const;
  [[nodiscard]] std::vector<Match> check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                             std::size_t most) const;
  /// See FuzzyStore::most_hit.
  /// Cost: a walk over all records, one cache line each.
  [[nodiscard]] std::vector<HitCount> most_hit(std::size_t most) const;
  /// Where the file has a digest, also an expired one; nullopt if it is not stored.
  struct Place {
    std::int64_t row = 0;
    std::uint32_t hits = 0;  ///< since it came into the index
  };
  [[nodiscard]] std::optional<Place> place_of(const Digest& digest) const;
  [[nodiscard]] std::uint64_t size() const { return records_.size(); }
  [[nodiscard]] std::uint64_t slot_overflows() const {
    return slot_overflows_.load(std::memory_order_relaxed);
  }
  /// Nothing expires by a time after `believe_until`: a clock that is far ahead must not hide what
  /// people taught. A time before kClockUnset comes from a clock that was never set; such a record
  /// does not expire, because nobody knows its age.
  [[nodiscard]] bool is_expired(std::uint32_t updated, std::uint32_t now) const {
    now = std::min(now, believed_until_.load(std::memory_order_relaxed));
    return options_.expire_seconds != 0 && updated >= kClockUnset && updated < now &&
           now - updated > options_.expire_seconds;
  }
  /// Any thread.
  void believe_until(std::uint32_t time) { believed_until_.store(time, std::memory_order_relaxed); }
  static constexpr std::uint32_t kClockUnset =
      978'307'200;  ///< 2001; such clocks show 1970 or 2000

  // ---- the writer ----
  /// The record of a digest, even if it is expired; 0 = none.
  [[nodiscard]] std::uint32_t find(const Digest& digest) const;
  [[nodiscard]] const RecordStore& records() const { return records_; }
  /// Whether there is room for `needs`.
  /// Errors: kLimit; the text says of what there is too much.
  [[nodiscard]] Status fits(const RecordNeeds& needs) const;
  /// Adds digests; there must be room for all (`fits`). Stops before the first digest that is
  /// already there, and returns how many it added. Many at once cost less, because they wait for
  /// the memory together.
  std::size_t add(std::span<const NewRecord> records);
  void update(std::uint32_t number, const RecordState& state);
  /// `shingles`: those the record was added with.
  void remove(std::uint32_t number, const std::optional<Shingles>& shingles);
  /// Removes a record whose shingles are not known any more. Its owner entries stay in the slots,
  /// so its number is never used again.
  void forget(std::uint32_t number);
  /// Makes room for `count` digests with shingles. Only for an empty index, before a file is
  /// loaded.
  void reserve(std::uint64_t count);
  /// Frees the memory and numbers that were removed or replaced. Waits for the readers if there are
  /// any to free.
  void collect();

 private:
  static constexpr std::size_t kShards = std::size_t{1} << HashParts::kShardBits;
  using Shards = std::array<NumberMap, kShards>;

  /// A look-up by shingles. Its first buckets are on their way into the cache.
  struct NearSearch {
    const Shingles* shingles = nullptr;
    std::array<std::uint64_t, kIndexedSlots> hashes{};
    std::array<NumberMap::Search, kIndexedSlots> slots;
  };
  class Owners;
  class Candidates;
  class Addition;

  [[nodiscard]] std::uint32_t find(const Digest& digest, NumberMap::Search search) const;
  /// A match and the number of its record, whose hit is counted if the match is the answer.
  struct Found {
    Match match;
    std::uint32_t number = 0;
  };
  [[nodiscard]] std::optional<Found> find_exact(const Digest& digest, NumberMap::Search search,
                                                std::uint32_t now) const;
  [[nodiscard]] std::optional<Match> answer_exact(const Digest& digest, NumberMap::Search search,
                                                  std::uint32_t now) const;
  void begin(NearSearch& search, const Shingles& shingles) const;
  void collect(NearSearch& search, Owners& owners) const;
  /// Calls `each(number, slots)` for every record that shares at least kMatchSlotsMin slots.
  template <typename Each>
  void for_each_match(NearSearch& search, const Each& each) const;
  [[nodiscard]] std::optional<Match> finish(NearSearch& search, std::uint32_t now) const;
  [[nodiscard]] std::optional<Match> match_of(std::uint32_t number, std::uint32_t now) const;
  void add_owner(std::size_t slot, std::uint64_t hash, std::uint32_t number);
  bool insert(NumberMap& map, std::uint64_t hash, std::uint32_t number, std::uint32_t way_max);
  void erase(NumberMap& map, std::uint64_t hash, std::uint32_t number);
  [[nodiscard]] NumberMap& slot_map(std::size_t slot, std::uint64_t hash) const {
    return (*slots_)[slot][HashParts::shard(hash)];
  }
  [[nodiscard]] NumberMap& digest_map(std::uint64_t hash) const {
    return (*digests_)[HashParts::shard(hash)];
  }

  ReadGate gate_;
  Options options_;
  std::atomic<std::uint32_t> believed_until_{UINT32_MAX};
  IndexHash hash_;
  RecordStore records_;
  std::unique_ptr<Shards> digests_;
  std::unique_ptr<std::array<Shards, kIndexedSlots>> slots_;
  bool released_ = false;          ///< numbers or flag sets wait for `collect`
  std::vector<NumberMap*> moved_;  ///< maps whose old memory waits for `collect`
  std::atomic<std::uint64_t> slot_overflows_{0};
};

}  // namespace shingled::storage::engine
