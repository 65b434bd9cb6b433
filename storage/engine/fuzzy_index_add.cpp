// The part of FuzzyIndex that adds records. A record has 17 entries in 17 maps; each is a cache
// line that was not used lately. So many records are added together, map by map, and each step
// prefetches a later one, also across two maps.
#include <algorithm>
#include <array>
#include <span>

#include "config/base/assert.h"
#include "storage/engine/fuzzy_index.h"
#include "storage/engine/number_map.h"

namespace shingled::storage::engine {

/// A group of records that is added: first the digest and record of each, then their slots, slot by
/// slot.
class FuzzyIndex::Addition {
 public:
  Addition(FuzzyIndex& index, std::span<const NewRecord> records)
      : index_(index), records_(records) {
    numbers_.reserve(records.size());
    for (auto& hashes : slots_) hashes.reserve(records.size());
  }

  /// Stops before the first digest that is already there. Returns how many were added.
  std::size_t add_digests() {
    std::vector<std::uint64_t> hashes;
    for (const NewRecord& record : records_)
      hashes.push_back(index_.hash_.of(record.fingerprint.digest));
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (i + kAhead < hashes.size()) {
        index_.digest_map(hashes[i + kAhead]).prefetch(hashes[i + kAhead]);
      }
      if (!add_digest(records_[i], hashes[i])) return i;
    }
    return records_.size();
  }

  void add_slots() {
    std::vector<Owner> owners(kIndexedSlots * numbers_.size());
    for (std::size_t slot = 0; slot < kIndexedSlots; ++slot) {
      order_by_shard(slot, std::span(owners).subspan(slot * numbers_.size(), numbers_.size()));
    }
    for (const Owner& owner : std::span(owners).first(std::min(kAhead, owners.size())))
      prefetch(owner);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (i + kAhead < owners.size()) prefetch(owners[i + kAhead]);
      index_.add_owner(owners[i].slot, owners[i].hash, owners[i].number);
    }
  }

 private:
  struct Owner {
    std::uint64_t hash;
    std::uint32_t number;
    std::uint32_t slot;
  };
  static constexpr std::size_t kAhead = 16;  ///< about as many cache misses as a core can wait for

  void prefetch(const Owner& owner) const {
    index_.slot_map(owner.slot, owner.hash).prefetch(owner.hash);
  }

  bool add_digest(const NewRecord& record, std::uint64_t hash) {
    const Fingerprint& fingerprint = record.fingerprint;
    if (index_.find(fingerprint.digest) != record.replaces) return false;
    SlotLows lows;
    if (fingerprint.shingles) {
      for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
        const std::uint64_t of_slot = index_.hash_.of((*fingerprint.shingles)[slot]);
        lows.of_slot[slot] = HashParts::low(of_slot);
        if (slot < kIndexedSlots) slots_[slot].push_back(of_slot);
      }
    }
    const std::uint32_t number = index_.records_.add(fingerprint.digest, record.state,
                                                     fingerprint.shingles ? &lows : nullptr);
    const bool placed = index_.insert(index_.digest_map(hash), hash, number, NumberMap::kAnyWay);
    SHINGLED_ASSERT(placed);
    if (fingerprint.shingles) numbers_.push_back(number);
    return true;
  }

  /// Sorted by shard, so that consecutive entries touch only a few pages of memory.
  void order_by_shard(std::size_t slot, std::span<Owner> owners) const {
    const std::vector<std::uint64_t>& hashes = slots_[slot];
    std::array<std::size_t, kShards + 1> begins{};
    for (const std::uint64_t hash : hashes) ++begins[HashParts::shard(hash) + 1];
    for (std::size_t shard = 1; shard < kShards; ++shard) begins[shard] += begins[shard - 1];
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      owners[begins[HashParts::shard(hashes[i])]++] = {hashes[i], numbers_[i],
                                                       static_cast<std::uint32_t>(slot)};
    }
  }

  FuzzyIndex& index_;
  std::span<const NewRecord> records_;
  std::vector<std::uint32_t> numbers_;  ///< of the records with shingles, parallel to `slots_[i]`
  std::array<std::vector<std::uint64_t>, kIndexedSlots> slots_;
};

std::size_t FuzzyIndex::add(std::span<const NewRecord> records) {
  Addition addition(*this, records);
  const std::size_t added = addition.add_digests();
  addition.add_slots();
  return added;
}

void FuzzyIndex::add_owner(std::size_t slot, std::uint64_t hash, std::uint32_t number) {
  NumberMap& map = slot_map(slot, hash);
  std::uint32_t owners = 0;
  std::uint32_t oldest = 0;
  map.for_each_candidate(hash, [&](std::uint32_t owner) {
    if (records_.shingles(owner).of_slot[slot] != HashParts::low(hash)) return;
    ++owners;
    if (oldest == 0 || records_.updated(owner) < records_.updated(oldest)) oldest = owner;
  });
  if (owners >= options_.slot_owners_max) {
    slot_overflows_.fetch_add(1, std::memory_order_relaxed);
    if (records_.updated(oldest) > records_.updated(number)) return;
    erase(map, hash, oldest);
  }
  if (!insert(map, hash, number, NumberMap::kWayMax))
    slot_overflows_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace shingled::storage::engine
