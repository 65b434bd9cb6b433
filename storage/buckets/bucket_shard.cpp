#include "storage/buckets/bucket_shard.h"

#include <algorithm>

#include "storage/buckets/bucket_store.h"

namespace shingled::storage::buckets {

std::uint32_t BucketArena::allocate(std::size_t key_bytes) {
  const std::size_t words = words_for(key_bytes);
  words_used_ += words;
  std::uint32_t& first = free_[words];
  if (first != 0) {
    const std::uint32_t place = first;
    first = static_cast<std::uint32_t>(*at(place));
    words_free_ -= words;
    return place;
  }
  const std::size_t left = chunks_.size() * kChunkWords - end_;
  if (chunks_.empty() || left < words) {
    if (!chunks_.empty()) {
      end_ += static_cast<std::uint32_t>(left);
      words_free_ += left;
    }
    chunks_.push_back(std::make_unique<Word[]>(kChunkWords));  // NOLINT(*-c-arrays)
  }
  const std::uint32_t place = end_;
  end_ += static_cast<std::uint32_t>(words);
  return place;
}

void BucketArena::release(std::uint32_t place, std::size_t key_bytes) {
  const std::size_t words = words_for(key_bytes);
  words_used_ -= words;
  words_free_ += words;
  *at(place) = free_[words];
  free_[words] = place;
}

std::uint32_t BucketShard::find(std::uint32_t hash, std::string_view key) const {
  return index_.empty() ? 0 : index_[slot_of(hash, key)].place;
}

/// The slot of that bucket, or the free slot where it would be inserted.
std::size_t BucketShard::slot_of(std::uint32_t hash, std::string_view key) const {
  std::size_t slot = hash & mask();
  while (index_[slot].place != 0 &&
         (index_[slot].hash != hash || at(index_[slot].place).key() != key)) {
    slot = (slot + 1) & mask();
  }
  return slot;
}

std::uint32_t BucketShard::insert(std::uint32_t hash, std::string_view key, LeakyBucket bucket,
                                  const LeakRate& rate, TimePoint now) {
  make_room(now);
  shorten_run(hash & mask(), now);
  const std::uint32_t place = arena_.allocate(key.size());
  BucketRecord record(arena_.at(place), key);
  record.set_bucket(bucket);
  record.set_rate(number_of(rate));
  renew(place);
  index_[slot_of(hash, key)] = {hash, place};
  ++count_;
  return place;
}

void BucketShard::make_room(TimePoint now) {
  evicted_type_.clear();
  drop_some_empty(now);
  if (count_ >= most_) evict(now);
  if (count_ + 1 > index_.size() / 4 * 3) resize(std::max(kSmallest, index_.size() * 2));
  if (arena_.words_free() > kSmallest * 64 && arena_.words_free() > arena_.words_used()) compact();
}

void BucketShard::drop_some_empty(TimePoint now) {
  for (std::size_t i = 0; i < kSweep && !index_.empty(); ++i) {
    const Entry entry = index_[hand_ & mask()];
    if (entry.place != 0 && may_go(at(entry.place), now)) {
      erase_slot(hand_ & mask());
    } else {
      hand_ = (hand_ + 1) & mask();
    }
  }
}

void BucketShard::evict(TimePoint now) {
  std::size_t victim = index_.size();
  TimePoint first = TimePoint::max();
  std::size_t seen = 0;
  for (std::size_t i = 0; i < index_.size() && seen < kSample; ++i) {
    hand_ = (hand_ + 1) & mask();
    if (index_[hand_].place == 0) continue;
    ++seen;
    const TimePoint empty_at = at(index_[hand_].place).bucket().empty_at();
    if (empty_at >= first) continue;
    first = empty_at;
    victim = hand_;
  }
  if (victim != index_.size()) evict_slot(victim, now);
}

/// Makes sure that one of the kRunMax slots from `home` on is free, so that searches stay short.
void BucketShard::shorten_run(std::size_t home, TimePoint now) {
  std::size_t victim = home;
  TimePoint first = TimePoint::max();
  for (std::size_t i = 0; i < kRunMax; ++i) {
    const std::size_t slot = (home + i) & mask();
    if (index_[slot].place == 0) return;
    const TimePoint empty_at = at(index_[slot].place).bucket().empty_at();
    if (empty_at >= first) continue;
    first = empty_at;
    victim = slot;
  }
  evict_slot(victim, now);
}

void BucketShard::evict_slot(std::size_t slot, TimePoint now) {
  const BucketRecord record = at(index_[slot].place);
  if (!record.bucket().is_empty(now)) {
    ++evictions_;
    evicted_type_ = bucket_type(record.key());
  }
  erase_slot(slot);
}

void BucketShard::erase(std::uint32_t hash, std::string_view key) {
  if (index_.empty()) return;
  const std::size_t slot = slot_of(hash, key);
  if (index_[slot].place != 0) erase_slot(slot);
}

/// Frees a slot and closes the gap: a later entry of the same run moves into it if that brings the
/// entry nearer to its home slot.
void BucketShard::erase_slot(std::size_t slot) {
  arena_.release(index_[slot].place, at(index_[slot].place).key().size());
  --count_;
  std::size_t gap = slot;
  for (std::size_t next = (gap + 1) & mask(); index_[next].place != 0; next = (next + 1) & mask()) {
    const std::size_t home = index_[next].hash & mask();
    if (((next - home) & mask()) < ((next - gap) & mask())) continue;
    index_[gap] = index_[next];
    gap = next;
  }
  index_[gap] = {};
}

void BucketShard::resize(std::size_t slots) {
  std::vector<Entry> old(slots);
  old.swap(index_);
  hand_ = 0;
  for (const Entry& entry : old) {
    if (entry.place == 0) continue;
    std::size_t slot = entry.hash & mask();
    while (index_[slot].place != 0) slot = (slot + 1) & mask();
    index_[slot] = entry;
  }
}

void BucketShard::compact() {
  BucketArena fresh;
  for (Entry& entry : index_) {
    if (entry.place == 0) continue;
    const BucketRecord old = at(entry.place);
    const std::uint32_t place = fresh.allocate(old.key().size());
    BucketRecord copy(fresh.at(place), old.key());
    copy.set_bucket(old.bucket());
    copy.set_era(old.era());
    copy.set_rate(old.rate());
    copy.set_marks(old.marks());
    entry.place = place;
  }
  arena_ = std::move(fresh);
  std::size_t slots = kSmallest;
  while (count_ + 1 > slots / 2) slots *= 2;
  if (slots < index_.size()) resize(slots);
}

std::uint16_t BucketShard::number_of(const LeakRate& rate) {
  const auto known = std::find(rates_.begin(), rates_.end(), rate);
  if (known != rates_.end()) return static_cast<std::uint16_t>(known - rates_.begin());
  if (rates_.size() < kRatesMax) {
    rates_.push_back(rate);
  } else {
    rates_.back() = rate;
  }
  return static_cast<std::uint16_t>(rates_.size() - 1);
}

std::size_t BucketShard::walk(std::size_t first, std::size_t places, const See& see) {
  const std::size_t end =
      first < index_.size() ? first + std::min(places, index_.size() - first) : index_.size();
  for (std::size_t slot = first; slot < end;) {
    const bool goes = index_[slot].place != 0 && see(index_[slot].place) == Fate::kGoes;
    if (goes) {
      erase_slot(slot);  // another bucket may be in this slot now
    } else {
      ++slot;
    }
  }
  return end < index_.size() ? end : 0;
}

}  // namespace shingled::storage::buckets
