#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "storage/engine/number_map.h"
#include "storage/engine/read_gate.h"
#include "storage/engine/record_store.h"
#include "storage/fuzzy_store.h"

namespace shingled::storage {

/// Everything a CHECK needs, in memory: digest -> record, and (slot, shingle) -> owners.
///
/// Owners of a slot: at most `slot_owners_max`. A further one takes the place of the owner whose
/// `updated` is oldest, if that is older than its own; else it stays out of this slot (and in its
/// others). So the newest of a campaign are found, and old ones fade where it is crowded.
///
/// Answers are exact: a slot counts only if all 64 bits of the shingle are equal (HashParts). A
/// record that is just being added or removed may be met in fewer of its slots, or not at all.
/// Threads: `check` and `check_all` from any thread, never waiting; the rest from one writer.
class FuzzyIndex {
 public:
  struct Options {
    std::uint32_t slot_owners_max = 16;
    std::uint32_t expire_seconds = 0;  ///< 0 = never
  };
  explicit FuzzyIndex(const Options& options);

  // ---- readers
  // ------------------------------------------------------------------------------------
  [[nodiscard]] std::optional<Match> check(const Digest& digest, const Shingles* shingles,
                                           std::uint32_t now) const;
  [[nodiscard]] std::vector<Match> check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                             std::size_t most) const;
  [[nodiscard]] std::uint64_t size() const { return records_.size(); }
  [[nodiscard]] std::uint64_t slot_overflows() const {
    return slot_overflows_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_expired(std::uint32_t updated, std::uint32_t now) const {
    return options_.expire_seconds != 0 && updated < now && now - updated > options_.expire_seconds;
  }

  // ---- the writer
  // ---------------------------------------------------------------------------------
  /// The record of a digest, expired or not; 0 = none.
  [[nodiscard]] std::uint32_t find(const Digest& digest) const;
  [[nodiscard]] const RecordStore& records() const { return records_; }
  /// How many records can still be added, of either kind.
  [[nodiscard]] std::uint64_t room() const { return records_.room(); }
  /// Adds a digest; there must be room.
  void add(const Fingerprint& fingerprint, const RecordState& state);
  void update(std::uint32_t number, const RecordState& state);
  /// `shingles` are those the record was added with.
  void remove(std::uint32_t number, const std::optional<Shingles>& shingles);
  /// Makes room for that many digests with shingles. Only while the index is empty: before a file
  /// is loaded.
  void reserve(std::uint64_t count);
  /// Gives back what was taken away; waits for readers if there is something.
  void collect();

 private:
  static constexpr std::size_t kShards = std::size_t{1} << HashParts::kShardBits;
  using Shards = std::array<NumberMap, kShards>;
  using Hashes = std::array<std::uint64_t, kShingleCount>;

  /// A record with the number of slots it shares with a question.
  struct Overlap {
    std::uint32_t number = 0;
    std::uint32_t slots = 0;
  };
  class Overlaps;

  [[nodiscard]] std::optional<Match> find_exact(const Digest& digest, std::uint32_t now) const;
  [[nodiscard]] Overlaps overlaps(const Shingles& shingles) const;
  [[nodiscard]] std::optional<Match> match_of(std::uint32_t number, std::uint32_t now) const;
  void add_owner(std::size_t slot, std::uint64_t hash, std::uint32_t number);
  template <typename LowBits>
  void insert(NumberMap& map, std::uint64_t hash, std::uint32_t number, const LowBits& low_bits);
  [[nodiscard]] NumberMap& slot_map(std::size_t slot, std::uint64_t hash) const {
    return (*slots_)[slot][HashParts::shard(hash)];
  }
  [[nodiscard]] NumberMap& digest_map(std::uint64_t hash) const {
    return (*digests_)[HashParts::shard(hash)];
  }

  ReadGate gate_;
  Options options_;
  RecordStore records_;
  std::unique_ptr<Shards> digests_;
  std::unique_ptr<std::array<Shards, kShingleCount>> slots_;
  bool released_ = false;          ///< numbers or flag sets wait for `collect`
  std::vector<NumberMap*> grown_;  ///< maps with memory that waits for `collect`
  std::atomic<std::uint64_t> slot_overflows_{0};
};

}  // namespace shingled::storage
