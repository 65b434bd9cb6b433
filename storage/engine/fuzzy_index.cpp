#include "storage/engine/fuzzy_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace shingled::storage {
namespace {

std::uint64_t hash_of(const Digest& digest) {
  return XXH3_64bits(digest.bytes.data(), digest.bytes.size());
}

/// Spreads a shingle, a minimum of many hashes and so mostly small, over 64 bits. One to one
/// (MurmurHash3's finaliser), so equal results mean equal shingles.
std::uint64_t hash_of(std::uint64_t shingle) {
  shingle ^= shingle >> 33;
  shingle *= 0xff51afd7ed558ccd;
  shingle ^= shingle >> 33;
  shingle *= 0xc4ceb9fe1a85ec53;
  shingle ^= shingle >> 33;
  return shingle;
}

std::array<std::uint64_t, kShingleCount> hashes_of(const Shingles& shingles) {
  std::array<std::uint64_t, kShingleCount> hashes;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) hashes[slot] = hash_of(shingles[slot]);
  return hashes;
}

}  // namespace

/// The records that share slots with a question: collected slot by slot, then counted.
class FuzzyIndex::Overlaps {
 public:
  void add(std::uint32_t number) {
    if (count_ < numbers_.size()) numbers_[count_++] = number;
  }

  /// Calls `each(number, slots)` for every record that shares at least kMatchSlotsMin.
  template <typename Each>
  void for_each_match(const Each& each) {
    if (count_ < kMatchSlotsMin) return;
    const auto end = numbers_.begin() + static_cast<std::ptrdiff_t>(count_);
    std::sort(numbers_.begin(), end);
    for (auto first = numbers_.begin(); first != end;) {
      const auto next = std::find_if(first, end, [&](std::uint32_t n) { return n != *first; });
      const auto slots = static_cast<std::uint32_t>(next - first);
      if (slots >= kMatchSlotsMin) each(*first, slots);
      first = next;
    }
  }

 private:
  /// As many owners as the options allow; what is not used is not touched.
  static constexpr std::size_t kNumbersMax = kShingleCount * kSlotOwnersMax;
  std::array<std::uint32_t, kNumbersMax> numbers_;
  std::size_t count_ = 0;
};

/// Owners that agree in their prints, on the way to be verified against the records: some at a
/// time, so that their cache misses overlap.
class FuzzyIndex::Candidates {
 public:
  Candidates(const RecordStore& records, const Hashes& hashes, Overlaps& overlaps)
      : records_(records), hashes_(hashes), overlaps_(overlaps) {}

  void add(std::uint32_t number, std::size_t slot) {
    if (count_ == waiting_.size()) verify();
    records_.shingles(number).prefetch(slot);
    waiting_[count_++] = {number, static_cast<std::uint32_t>(slot)};
  }
  void verify() {
    for (const Candidate& candidate : std::span(waiting_).first(count_)) {
      const std::uint64_t low = records_.shingles(candidate.number).get(candidate.slot);
      if (low == HashParts::low(hashes_[candidate.slot])) overlaps_.add(candidate.number);
    }
    count_ = 0;
  }

 private:
  struct Candidate {
    std::uint32_t number;
    std::uint32_t slot;
  };
  const RecordStore& records_;
  const Hashes& hashes_;
  Overlaps& overlaps_;
  std::array<Candidate, 64> waiting_;
  std::size_t count_ = 0;
};

FuzzyIndex::FuzzyIndex(const Options& options)
    : options_(options),
      digests_(std::make_unique<Shards>()),
      slots_(std::make_unique<std::array<Shards, kShingleCount>>()) {}

std::optional<Match> FuzzyIndex::check(const Digest& digest, const Shingles* shingles,
                                       std::uint32_t now) const {
  const ReadGate::Pass pass(gate_);
  const std::uint64_t hash = hash_of(digest);
  const NumberMap::Search search(digest_map(hash), hash);
  if (auto exact = find_exact(digest, search, now)) return exact;
  if (shingles == nullptr) return std::nullopt;
  std::optional<Match> best;
  Overlaps overlaps;
  collect_overlaps(hashes_of(*shingles), overlaps);
  overlaps.for_each_match([&](std::uint32_t number, std::uint32_t slots) {
    if (best && slots < best->slots) return;
    auto match = match_of(number, now);
    if (!match) return;
    match->slots = slots;
    if (!best || slots > best->slots || match->updated > best->updated) best = match;
  });
  return best;
}

std::vector<Match> FuzzyIndex::check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                         std::size_t most) const {
  const ReadGate::Pass pass(gate_);
  std::vector<Match> matches;
  const std::uint64_t hash = hash_of(fingerprint.digest);
  const NumberMap::Search search(digest_map(hash), hash);
  if (auto exact = find_exact(fingerprint.digest, search, now)) matches.push_back(*exact);
  if (fingerprint.shingles) {
    Overlaps overlaps;
    collect_overlaps(hashes_of(*fingerprint.shingles), overlaps);
    overlaps.for_each_match([&](std::uint32_t number, std::uint32_t slots) {
      auto match = match_of(number, now);
      if (!match || match->digest == fingerprint.digest) return;
      match->slots = slots;
      matches.push_back(*match);
    });
  }
  std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    return std::tuple(a.exact, a.slots, a.updated) > std::tuple(b.exact, b.slots, b.updated);
  });
  if (matches.size() > most) matches.resize(most);
  return matches;
}

std::optional<Match> FuzzyIndex::find_exact(const Digest& digest, NumberMap::Search search,
                                            std::uint32_t now) const {
  const std::uint32_t number = find(digest, search);
  if (number == 0) return std::nullopt;
  auto match = match_of(number, now);
  if (match) {
    match->exact = true;
    match->slots = kShingleCount;
  }
  return match;
}

std::uint32_t FuzzyIndex::find(const Digest& digest) const {
  const std::uint64_t hash = hash_of(digest);
  return find(digest, NumberMap::Search(digest_map(hash), hash));
}

std::uint32_t FuzzyIndex::find(const Digest& digest, NumberMap::Search search) const {
  std::uint32_t found = 0;
  while (search.step([&](std::uint32_t number) {
    if (records_.digest(number) == digest) found = number;
  })) {
  }
  return found;
}

void FuzzyIndex::collect_overlaps(const Hashes& hashes, Overlaps& overlaps) const {
  std::array<NumberMap::Search, kShingleCount> searches;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    searches[slot] = NumberMap::Search(slot_map(slot, hashes[slot]), hashes[slot]);
  }
  Candidates candidates(records_, hashes, overlaps);
  std::array<std::uint8_t, kShingleCount> open;
  std::iota(open.begin(), open.end(), std::uint8_t{0});
  for (std::size_t count = kShingleCount; count != 0;) {
    std::size_t still = 0;
    for (const std::uint8_t slot : std::span(open).first(count)) {
      const bool more =
          searches[slot].step([&](std::uint32_t number) { candidates.add(number, slot); });
      if (more) open[still++] = slot;
    }
    count = still;
  }
  candidates.verify();
}

std::optional<Match> FuzzyIndex::match_of(std::uint32_t number, std::uint32_t now) const {
  const RecordState state = records_.state(number);
  if (state.row == 0 || is_expired(state.updated, now)) return std::nullopt;
  Match match;
  match.digest = records_.digest(number);
  match.flag_count = static_cast<std::uint8_t>(state.flags.size());
  std::ranges::copy(state.flags.all(), match.flags.begin());
  match.created = state.created;
  match.updated = state.updated;
  return match;
}

std::size_t FuzzyIndex::add(std::span<const NewRecord> records) {
  std::size_t added = 0;
  while (added < records.size()) {
    const auto batch = records.subspan(added, std::min(kBatch, records.size() - added));
    const std::size_t count = add_batch(batch);
    added += count;
    if (count < batch.size()) break;
  }
  return added;
}

std::size_t FuzzyIndex::add_batch(std::span<const NewRecord> records) {
  struct Item {
    NumberMap::Search search;  ///< of the digest
    Hashes hashes;
    std::uint64_t hash;
    std::uint32_t number;
    bool has_shingles;
  };
  std::array<Item, kBatch> items;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Fingerprint& fingerprint = records[i].fingerprint;
    items[i].hash = hash_of(fingerprint.digest);
    items[i].search = NumberMap::Search(digest_map(items[i].hash), items[i].hash);
    items[i].has_shingles = fingerprint.shingles.has_value();
    if (fingerprint.shingles) items[i].hashes = hashes_of(*fingerprint.shingles);
  }
  std::size_t count = 0;
  for (; count < records.size(); ++count) {
    const NewRecord& record = records[count];
    Item& item = items[count];
    // Not by `item.search`: an insert before may have moved the map.
    if (const auto known = find(record.fingerprint.digest); known != record.replaces) break;
    PackedLows lows{};
    if (item.has_shingles) {
      for (std::size_t s = 0; s < kShingleCount; ++s) lows.set(s, HashParts::low(item.hashes[s]));
    }
    item.number =
        records_.add(record.fingerprint.digest, record.state, item.has_shingles ? &lows : nullptr);
    insert(digest_map(item.hash), item.hash, item.number);
  }
  const auto with_shingles = [&](const auto& each) {
    for (const Item& item : std::span(items).first(count)) {
      if (item.has_shingles) each(item);
    }
  };
  const auto prefetch = [&](std::size_t slot) {
    with_shingles(
        [&](const Item& item) { slot_map(slot, item.hashes[slot]).prefetch(item.hashes[slot]); });
  };
  prefetch(0);
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    if (slot + 1 < kShingleCount) prefetch(slot + 1);
    with_shingles([&](const Item& item) { add_owner(slot, item.hashes[slot], item.number); });
  }
  return count;
}

void FuzzyIndex::add_owner(std::size_t slot, std::uint64_t hash, std::uint32_t number) {
  NumberMap& map = slot_map(slot, hash);
  std::uint32_t owners = 0;
  std::uint32_t oldest = 0;
  map.for_each_candidate(hash, [&](std::uint32_t owner) {
    if (records_.shingles(owner).get(slot) != HashParts::low(hash)) return;
    ++owners;
    if (oldest == 0 || records_.updated(owner) < records_.updated(oldest)) oldest = owner;
  });
  if (owners >= options_.slot_owners_max) {
    slot_overflows_.fetch_add(1, std::memory_order_relaxed);
    if (records_.updated(oldest) > records_.updated(number)) return;
    erase(map, hash, oldest);
  }
  insert(map, hash, number);
}

void FuzzyIndex::insert(NumberMap& map, std::uint64_t hash, std::uint32_t number) {
  if (map.insert(hash, number)) moved_.push_back(&map);
}

void FuzzyIndex::erase(NumberMap& map, std::uint64_t hash, std::uint32_t number) {
  if (map.erase(hash, number)) moved_.push_back(&map);
}

void FuzzyIndex::remove(std::uint32_t number, const std::optional<Shingles>& shingles) {
  const std::uint64_t hash = hash_of(records_.digest(number));
  erase(digest_map(hash), hash, number);
  if (shingles) {
    for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
      const std::uint64_t shingle = hash_of((*shingles)[slot]);
      erase(slot_map(slot, shingle), shingle, number);
    }
  }
  records_.release(number);
  released_ = true;
}

void FuzzyIndex::update(std::uint32_t number, const RecordState& state) {
  records_.update(number, state);
  released_ = true;  // perhaps a set of flags
}

void FuzzyIndex::collect() {
  if (!released_ && moved_.empty()) return;
  gate_.wait_for_readers();
  records_.reuse_released();
  for (NumberMap* map : moved_) map->free_retired();
  moved_.clear();
  released_ = false;
}

void FuzzyIndex::reserve(std::uint64_t count) {
  const double share = static_cast<double>(count) / static_cast<double>(kShards);
  // Some more for some, up to a step of growth: so that they do not all grow at once afterwards.
  constexpr double kGolden = 0.6180339887;
  double turn = 0;
  const auto reserve_each = [&](Shards& shards) {
    for (NumberMap& map : shards) {
      turn += kGolden;
      map.reserve(static_cast<std::size_t>(share * (1 + (turn - std::floor(turn)) / 16)));
    }
  };
  reserve_each(*digests_);
  for (Shards& shards : *slots_) reserve_each(shards);
}

}  // namespace shingled::storage
