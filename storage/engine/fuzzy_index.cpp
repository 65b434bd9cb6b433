#include "storage/engine/fuzzy_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include "config/base/assert.h"
#include "config/base/best.h"
#include "storage/engine/number_map.h"

namespace shingled::storage::engine {

namespace {
constexpr std::uint32_t kHitsInARow = 65'536;  // records looked at under one pass

IndexHash new_secret() {
  SystemRandom random;
  return IndexHash(random);
}
}  // namespace

/// The records that share an indexed slot with the question.
class FuzzyIndex::Owners {
 public:
  void add(std::uint32_t number) {
    if (count_ < numbers_.size()) numbers_[count_++] = number;
  }

  /// Each number once.
  [[nodiscard]] std::span<const std::uint32_t> numbers() {
    const auto end = numbers_.begin() + static_cast<std::ptrdiff_t>(count_);
    std::sort(numbers_.begin(), end);
    return {numbers_.begin(), std::unique(numbers_.begin(), end)};
  }

 private:
  /// The most that the options allow. The unused part of the array is never touched.
  static constexpr std::size_t kNumbersMax = kIndexedSlots * kSlotOwnersMax;
  std::array<std::uint32_t, kNumbersMax> numbers_;
  std::size_t count_ = 0;
};

/// Owners whose print agrees and that must still be compared with their records. That is done for
/// several at a time, so that their cache misses overlap.
class FuzzyIndex::Candidates {
 public:
  Candidates(const RecordStore& records, const NearSearch& search, Owners& owners)
      : records_(records), search_(search), owners_(owners) {}

  void add(std::uint32_t number, std::size_t slot) {
    if (count_ == waiting_.size()) verify();
    records_.prefetch_indexed(number);
    waiting_[count_++] = {number, static_cast<std::uint32_t>(slot)};
  }
  void verify() {
    for (const auto [number, slot] : std::span(waiting_).first(count_)) {
      const std::uint32_t low = records_.shingles(number).of_slot[slot];
      if (low != HashParts::low(search_.hashes[slot])) continue;
      owners_.add(number);
      records_.prefetch_match(number);
    }
    count_ = 0;
  }

 private:
  struct Candidate {
    std::uint32_t number;
    std::uint32_t slot;
  };
  const RecordStore& records_;
  const NearSearch& search_;
  Owners& owners_;
  std::array<Candidate, 64> waiting_;
  std::size_t count_ = 0;
};

FuzzyIndex::FuzzyIndex(const Options& options)
    : options_(options),
      hash_(new_secret()),
      digests_(std::make_unique<Shards>()),
      slots_(std::make_unique<std::array<Shards, kIndexedSlots>>()) {
  SHINGLED_ASSERT(options_.slot_owners_max >= 1 && options_.slot_owners_max <= kSlotOwnersMax);
  SHINGLED_ASSERT(options_.flag_sets_max <= RecordStore::kFlagSetsMax);
}

std::optional<Match> FuzzyIndex::check(const Digest& digest, const Shingles* shingles,
                                       std::uint32_t now) const {
  const ReadGate::Pass pass(gate_);
  const std::uint64_t hash = hash_.of(digest);
  const NumberMap::Search search(digest_map(hash), hash);
  if (auto exact = answer_exact(digest, search, now)) return exact;
  if (shingles == nullptr) return std::nullopt;
  NearSearch near;
  begin(near, *shingles);
  return finish(near, now);
}

void FuzzyIndex::check_batch(std::span<const Question> questions, std::uint32_t now,
                             std::span<std::optional<Match>> answers) const {
  // The processor can wait for about this many cache lines at once: first buckets, then records.
  constexpr std::size_t kTogether = 16;
  SHINGLED_ASSERT(answers.size() >= questions.size());
  const ReadGate::Pass pass(gate_);
  std::array<NumberMap::Search, kTogether> searches;
  while (!questions.empty()) {
    const auto group = questions.first(std::min(kTogether, questions.size()));
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::uint64_t hash = hash_.of(*group[i].digest);
      searches[i] = NumberMap::Search(digest_map(hash), hash);
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      NumberMap::Search first = searches[i];
      first.step([&](std::uint32_t number) { records_.prefetch(number); });
    }
    // Questions without an exact match: one is fetched into the cache while the one before is
    // finished.
    std::array<NearSearch, 2> near;
    std::size_t turn = 0;
    std::size_t before = group.size();  // the question whose search has begun; group.size() = none
    for (std::size_t i = 0; i < group.size(); ++i) {
      answers[i] = answer_exact(*group[i].digest, searches[i], now);
      if (answers[i] || group[i].shingles == nullptr) continue;
      begin(near[turn], *group[i].shingles);
      turn = 1 - turn;
      if (before != group.size()) answers[before] = finish(near[turn], now);
      before = i;
    }
    if (before != group.size()) answers[before] = finish(near[1 - turn], now);
    questions = questions.subspan(group.size());
    answers = answers.subspan(group.size());
  }
}

void FuzzyIndex::begin(NearSearch& search, const Shingles& shingles) const {
  search.shingles = &shingles;
  for (std::size_t slot = 0; slot < kIndexedSlots; ++slot) {
    const std::uint64_t hash = hash_.of(shingles[slot]);
    search.hashes[slot] = hash;
    search.slots[slot] = NumberMap::Search(slot_map(slot, hash), hash);
  }
}

template <typename Each>
void FuzzyIndex::for_each_match(NearSearch& search, const Each& each) const {
  Owners owners;
  collect(search, owners);
  const std::span<const std::uint32_t> numbers = owners.numbers();
  if (numbers.empty()) return;
  const SlotLows lows = lows_of(hash_, *search.shingles);
  for (const std::uint32_t number : numbers) {
    const std::uint32_t slots = lows.equal_slots(records_.shingles(number));
    if (slots >= kMatchSlotsMin) each(number, slots);
  }
}

std::optional<Match> FuzzyIndex::finish(NearSearch& search, std::uint32_t now) const {
  std::optional<Match> best;
  std::uint32_t whose = 0;
  for_each_match(search, [&](std::uint32_t number, std::uint32_t slots) {
    if (best && slots < best->slots) return;
    auto match = match_of(number, now);
    if (!match) return;
    match->slots = slots;
    if (best && slots == best->slots && match->updated <= best->updated) return;
    best = match;
    whose = number;
  });
  if (best) records_.count_hit(whose);
  return best;
}

std::vector<Match> FuzzyIndex::check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                         std::size_t most) const {
  const ReadGate::Pass pass(gate_);
  std::vector<Match> matches;
  const std::uint64_t hash = hash_.of(fingerprint.digest);
  const NumberMap::Search search(digest_map(hash), hash);
  if (auto exact = find_exact(fingerprint.digest, search, now)) matches.push_back(exact->match);
  if (fingerprint.shingles) {
    NearSearch near;
    begin(near, *fingerprint.shingles);
    for_each_match(near, [&](std::uint32_t number, std::uint32_t slots) {
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

std::optional<FuzzyIndex::Found> FuzzyIndex::find_exact(const Digest& digest,
                                                        NumberMap::Search search,
                                                        std::uint32_t now) const {
  const std::uint32_t number = find(digest, search);
  if (number == 0) return std::nullopt;
  auto match = match_of(number, now);
  if (!match) return std::nullopt;
  match->exact = true;
  match->slots = kShingleCount;
  return Found{*match, number};
}

std::optional<Match> FuzzyIndex::answer_exact(const Digest& digest, NumberMap::Search search,
                                              std::uint32_t now) const {
  const auto found = find_exact(digest, search, now);
  if (!found) return std::nullopt;
  records_.count_hit(found->number);
  return found->match;
}

std::vector<HitCount> FuzzyIndex::most_hit(std::size_t most) const {
  const auto more = [](const HitCount& a, const HitCount& b) { return a.hits > b.hits; };
  Best<HitCount, decltype(more)> best(most, more);
  const std::uint32_t end = records_.number_end();
  for (std::uint32_t begin = 0; begin < end && most != 0; begin += kHitsInARow) {
    const ReadGate::Pass pass(gate_);  // short, because the writer waits for it
    for (std::uint32_t number = begin; number < std::min(end, begin + kHitsInARow); ++number) {
      const std::uint32_t hits = records_.hits(number);
      if (hits == 0 || (best.worst() != nullptr && hits <= best.worst()->hits)) continue;
      if (records_.state(number).row == 0) continue;
      best.add({records_.digest(number), hits});
    }
  }
  return best.take();
}

std::optional<FuzzyIndex::Place> FuzzyIndex::place_of(const Digest& digest) const {
  const ReadGate::Pass pass(gate_);
  const std::uint32_t number = find(digest);
  if (number == 0) return std::nullopt;
  const std::int64_t row = records_.state(number).row;
  return row == 0 ? std::nullopt : std::optional(Place{row, records_.hits(number)});
}

std::uint32_t FuzzyIndex::find(const Digest& digest) const {
  const std::uint64_t hash = hash_.of(digest);
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

void FuzzyIndex::collect(NearSearch& search, Owners& owners) const {
  Candidates candidates(records_, search, owners);
  std::array<std::uint8_t, kIndexedSlots> open;
  std::iota(open.begin(), open.end(), std::uint8_t{0});
  for (std::size_t count = kIndexedSlots; count != 0;) {
    std::size_t still = 0;
    for (const std::uint8_t slot : std::span(open).first(count)) {
      const bool more =
          search.slots[slot].step([&](std::uint32_t number) { candidates.add(number, slot); });
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

Status FuzzyIndex::fits(const RecordNeeds& needs) const {
  const RecordNeeds room = records_.room();
  if (needs.records > room.records) {
    return Error{ErrorCode::kLimit,
                 "more than " + std::to_string(kNumberMax) + " hashes do not fit into the index"};
  }
  const std::uint64_t kept_free = RecordStore::kFlagSetsMax - options_.flag_sets_max;
  if (needs.flag_sets + kept_free > room.flag_sets) {
    return Error{ErrorCode::kLimit, "more than " + std::to_string(options_.flag_sets_max) +
                                        " hashes on several lists do not fit into the index"};
  }
  return {};
}

bool FuzzyIndex::insert(NumberMap& map, std::uint64_t hash, std::uint32_t number,
                        std::uint32_t way_max) {
  const NumberMap::Inserted inserted = map.insert(hash, number, way_max);
  if (inserted.moved) moved_.push_back(&map);
  return inserted.placed;
}

void FuzzyIndex::erase(NumberMap& map, std::uint64_t hash, std::uint32_t number) {
  if (map.erase(hash, number)) moved_.push_back(&map);
}

void FuzzyIndex::remove(std::uint32_t number, const std::optional<Shingles>& shingles) {
  SHINGLED_ASSERT(records_.is_live(number));
  const std::uint64_t hash = hash_.of(records_.digest(number));
  erase(digest_map(hash), hash, number);
  if (shingles) {
    for (std::size_t slot = 0; slot < kIndexedSlots; ++slot) {
      const std::uint64_t shingle = hash_.of((*shingles)[slot]);
      erase(slot_map(slot, shingle), shingle, number);
    }
  }
  records_.release(number);
  released_ = true;
}

void FuzzyIndex::forget(std::uint32_t number) {
  SHINGLED_ASSERT(records_.is_live(number));
  if (!records_.has_shingles(number)) return remove(number, std::nullopt);
  const std::uint64_t hash = hash_.of(records_.digest(number));
  erase(digest_map(hash), hash, number);
  records_.retire(number);
  released_ = true;  // its flag set, if it had one
}

void FuzzyIndex::update(std::uint32_t number, const RecordState& state) {
  records_.update(number, state);
  released_ = true;  // the old flag set, if it had one
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
  // Some maps get more room than others, by up to one step of growth. Otherwise they would all grow
  // at the same time later.
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

}  // namespace shingled::storage::engine
