#include "storage/engine/fuzzy_index.h"

#include <algorithm>
#include <cmath>
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

}  // namespace

/// The records that share slots with a question: collected slot by slot, then counted.
class FuzzyIndex::Overlaps {
 public:
  void add(std::uint32_t number) {
    if (count_ < numbers_.size()) numbers_[count_++] = number;
  }

  /// Calls `each` with every record that shares at least kMatchSlotsMin.
  template <typename Each>
  void for_each_match(const Each& each) {
    if (count_ < kMatchSlotsMin) return;
    const auto end = numbers_.begin() + static_cast<std::ptrdiff_t>(count_);
    std::sort(numbers_.begin(), end);
    for (auto first = numbers_.begin(); first != end;) {
      const auto next = std::find_if(first, end, [&](std::uint32_t n) { return n != *first; });
      const auto slots = static_cast<std::uint32_t>(next - first);
      if (slots >= kMatchSlotsMin) each(Overlap{*first, slots});
      first = next;
    }
  }

 private:
  static constexpr std::size_t kNumbersMax = 4096;  ///< 128 owners a slot
  std::array<std::uint32_t, kNumbersMax> numbers_;
  std::size_t count_ = 0;
};

FuzzyIndex::FuzzyIndex(const Options& options)
    : options_(options),
      digests_(std::make_unique<Shards>()),
      slots_(std::make_unique<std::array<Shards, kShingleCount>>()) {}

std::optional<Match> FuzzyIndex::check(const Digest& digest, const Shingles* shingles,
                                       std::uint32_t now) const {
  const ReadGate::Pass pass(gate_);
  if (auto exact = find_exact(digest, now)) return exact;
  if (shingles == nullptr) return std::nullopt;
  std::optional<Match> best;
  overlaps(*shingles).for_each_match([&](const Overlap& overlap) {
    if (best && overlap.slots < best->slots) return;
    auto match = match_of(overlap.number, now);
    if (!match) return;
    match->slots = overlap.slots;
    if (!best || overlap.slots > best->slots || match->updated > best->updated) best = match;
  });
  return best;
}

std::vector<Match> FuzzyIndex::check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                         std::size_t most) const {
  const ReadGate::Pass pass(gate_);
  std::vector<Match> matches;
  if (auto exact = find_exact(fingerprint.digest, now)) matches.push_back(*exact);
  if (fingerprint.shingles) {
    overlaps(*fingerprint.shingles).for_each_match([&](const Overlap& overlap) {
      auto match = match_of(overlap.number, now);
      if (!match || match->digest == fingerprint.digest) return;
      match->slots = overlap.slots;
      matches.push_back(*match);
    });
  }
  std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    return std::tuple(a.exact, a.slots, a.updated) > std::tuple(b.exact, b.slots, b.updated);
  });
  if (matches.size() > most) matches.resize(most);
  return matches;
}

std::optional<Match> FuzzyIndex::find_exact(const Digest& digest, std::uint32_t now) const {
  const std::uint32_t number = find(digest);
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
  std::uint32_t found = 0;
  digest_map(hash).for_each_candidate(hash, [&](std::uint32_t number) {
    if (records_.digest(number) == digest) found = number;
  });
  return found;
}

FuzzyIndex::Overlaps FuzzyIndex::overlaps(const Shingles& shingles) const {
  Overlaps overlaps;
  // All 32 cache misses at once, then the answers: the misses are the cost of a CHECK.
  Hashes hashes{};
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    hashes[slot] = hash_of(shingles[slot]);
    slot_map(slot, hashes[slot]).prefetch(hashes[slot]);
  }
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    slot_map(slot, hashes[slot]).for_each_candidate(hashes[slot], [&](std::uint32_t number) {
      if (records_.shingles(number).get(slot) == HashParts::low(hashes[slot])) overlaps.add(number);
    });
  }
  return overlaps;
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

void FuzzyIndex::add(const Fingerprint& fingerprint, const RecordState& state) {
  PackedLows lows{};
  Hashes hashes{};
  if (fingerprint.shingles) {
    for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
      hashes[slot] = hash_of((*fingerprint.shingles)[slot]);
      lows.set(slot, HashParts::low(hashes[slot]));
      slot_map(slot, hashes[slot]).prefetch(hashes[slot]);
    }
  }
  const std::uint32_t number =
      records_.add(fingerprint.digest, state, fingerprint.shingles ? &lows : nullptr);
  const std::uint64_t hash = hash_of(fingerprint.digest);
  insert(digest_map(hash), hash, number,
         [&](std::uint32_t n) { return HashParts::low(hash_of(records_.digest(n))); });
  if (fingerprint.shingles) {
    for (std::size_t slot = 0; slot < kShingleCount; ++slot) add_owner(slot, hashes[slot], number);
  }
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
    map.erase(hash, oldest);
  }
  insert(map, hash, number, [&](std::uint32_t n) { return records_.shingles(n).get(slot); });
}

template <typename LowBits>
void FuzzyIndex::insert(NumberMap& map, std::uint64_t hash, std::uint32_t number,
                        const LowBits& low_bits) {
  map.insert(hash, number, low_bits);
  if (map.has_retired()) grown_.push_back(&map);
}

void FuzzyIndex::remove(std::uint32_t number, const std::optional<Shingles>& shingles) {
  const std::uint64_t hash = hash_of(records_.digest(number));
  digest_map(hash).erase(hash, number);
  if (shingles) {
    for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
      const std::uint64_t shingle = hash_of((*shingles)[slot]);
      slot_map(slot, shingle).erase(shingle, number);
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
  if (!released_ && grown_.empty()) return;
  gate_.wait_for_readers();
  records_.reuse_released();
  for (NumberMap* map : grown_) map->free_retired();
  grown_.clear();
  released_ = false;
}

void FuzzyIndex::reserve(std::uint64_t count) {
  // A shard's share varies by its root; with four of them hardly one must grow later.
  const auto mean = static_cast<double>(count) / static_cast<double>(kShards);
  const auto share = static_cast<std::size_t>(mean + 4 * std::sqrt(mean));
  for (NumberMap& map : *digests_) map.reserve(share);
  for (Shards& shards : *slots_) {
    for (NumberMap& map : shards) map.reserve(share);
  }
}

}  // namespace shingled::storage
