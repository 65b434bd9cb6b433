#include "storage/buckets/bucket_table.h"

#include <algorithm>
#include <cmath>

#include "config/base/best.h"
#include "mime/fingerprint/keyed_hash.h"

namespace shingled::storage::buckets {

namespace {

// Types whose evictions are counted one by one; the settings may name any number of types.
constexpr std::size_t kTypesMax = 256;

std::string_view bounded(std::string_view key) { return key.substr(0, kBucketKeyMax); }

std::size_t share_of(std::size_t most) {
  const double share = static_cast<double>(most) / BucketTable::kShards;
  return static_cast<std::size_t>(std::ceil(share + 4 * std::sqrt(share)));
}

/// The bucket with at most as many drops as it can hold. So a clock that was set back, or a changed
/// rate, locks nobody out for longer than a full bucket needs to leak.
LeakyBucket within(LeakyBucket bucket, const LeakRate& rate, TimePoint now) {
  return LeakyBucket(std::min(bucket.empty_at(), now + rate.room()));
}

Duration wait_of(const LeakyBucket& bucket, const BucketDemand& what, TimePoint now) {
  const Duration more = what.rate.time_of(what.amount);
  const Duration room = what.limit().room();
  if (more > room) return Duration::max();
  return std::max(bucket.empty_at(), now) - now + more - room;
}

void mark_changed(BucketRecord record) {
  record.set_marks(static_cast<std::uint8_t>(record.marks() | BucketRecord::kChanged));
}

BucketState state_of(const BucketShard& shard, std::uint32_t place, TimePoint now) {
  const BucketRecord record = shard.at(place);
  return {std::string(record.key()), shard.rate_of(place), record.bucket().empty_at() - now};
}

}  // namespace

/// One demand while it is decided.
struct BucketTable::Want {
  std::uint64_t hash = 0;
  const BucketDemand* what = nullptr;
  std::size_t number = 0;  // the number of the demand
  BucketShard* shard = nullptr;
  std::uint32_t place = 0;  // 0 means: the bucket does not exist yet
  LeakyBucket before;
  LeakyBucket bucket;  // with the amounts added so far
  std::uint32_t era = 0;

  [[nodiscard]] std::uint32_t low() const { return static_cast<std::uint32_t>(hash); }
  [[nodiscard]] std::string_view key() const { return bounded(what->key); }
  [[nodiscard]] bool is_same(const Want& other) const {
    return hash == other.hash && key() == other.key();
  }
};

BucketTable::BucketTable(std::size_t most, const BucketHashKey& key, Kept kept)
    : key_(key), kept_(kept) {
  for (std::size_t i = 0; i < kShards; ++i)
    shards_.push_back(std::make_unique<Shard>(share_of(most)));
}

std::uint64_t BucketTable::hash_of(std::string_view key) const {
  return fingerprint::siphash(key_, key);
}

BucketAnswer BucketTable::take(std::span<const BucketDemand> demands, TimePoint now) {
  BucketAnswer answer;
  answer.at = now.time_since_epoch().count();
  answer.levels.resize(demands.size());
  Wants wants(demands.size());
  for (std::size_t i = 0; i < demands.size(); ++i) {
    wants[i].hash = hash_of(bounded(demands[i].key));
    wants[i].what = &demands[i];
    wants[i].number = i;
  }
  // All threads take the locks in this order, which prevents deadlocks. Equal keys become
  // neighbours.
  std::sort(wants.begin(), wants.end(), [](const Want& a, const Want& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.number < b.number;
  });
  std::vector<Guarded<BucketShard>::Locked> locks;
  locks.reserve(std::min(wants.size(), kShards));
  const Guarded<BucketShard>* last = nullptr;
  for (Want& want : wants) {
    Guarded<BucketShard>& its = shard(want.hash);
    if (&its != last) locks.push_back(its.lock());
    last = &its;
    want.shard = &*locks.back();
  }
  answer.taken = fill(wants, answer, now);
  if (answer.taken) write(wants, now);
  for (const Want& want : wants) {
    BucketLevel& level = answer.levels[want.number];
    const LeakyBucket& bucket = answer.taken ? want.bucket : want.before;
    level.drops = bucket.level(want.what->rate, now);
    level.end = bucket.empty_at().time_since_epoch().count();
    level.era = want.era;
  }
  return answer;
}

/// Adds all demands to copies of the buckets. Returns false if one does not fit.
bool BucketTable::fill(Wants& wants, BucketAnswer& answer, TimePoint now) const {
  bool fits = true;
  for (std::size_t i = 0; i < wants.size(); ++i) {
    Want& want = wants[i];
    const BucketDemand& what = *want.what;
    if (i > 0 && want.is_same(wants[i - 1])) {
      want.place = wants[i - 1].place;
      want.before = wants[i - 1].before;
      want.bucket = wants[i - 1].bucket;
    } else if ((want.place = want.shard->find(want.low(), want.key())) != 0) {
      BucketRecord record = want.shard->at(want.place);
      want.before = want.bucket = within(record.bucket(), what.limit(), now);
      if (want.before != record.bucket()) {
        record.set_bucket(want.before);
        want.shard->renew(want.place);
        mark_lowered(record);
      }
    }
    if (want.bucket.try_add(what.amount, what.limit(), now)) continue;
    const Duration wait = wait_of(want.bucket, what, now);
    if (fits || wait > answer.wait) {
      answer.wait = wait;
      answer.refused_by = want.number;
    }
    fits = false;
  }
  return fits;
}

void BucketTable::write(Wants& wants, TimePoint now) {
  // First the buckets that exist: a new one may evict one of them, which must be complete by then.
  for (Want& want : wants) {
    if (want.place == 0) continue;
    BucketRecord record = want.shard->at(want.place);
    record.set_bucket(want.bucket);
    want.shard->set_rate(want.place, want.what->rate);
    want.era = record.era();
    mark_changed(record);
  }
  for (std::size_t i = 0; i < wants.size(); ++i) {
    Want& want = wants[i];
    if (want.place != 0) continue;
    put(*want.shard, want.low(), *want.what, want.bucket, now);
    const std::uint32_t place = want.shard->find(want.low(), want.key());
    if (place != 0) want.era = want.shard->at(place).era();
  }
}

/// Sets a bucket, or inserts it if it does not exist.
void BucketTable::put(BucketShard& shard, std::uint32_t hash, const BucketDemand& what,
                      LeakyBucket bucket, TimePoint now) {
  const std::string_view key = bounded(what.key);
  std::uint32_t place = shard.find(hash, key);
  if (place == 0) {
    place = shard.insert(hash, key, bucket, what.rate, now);
    note_eviction(shard);
  } else {
    shard.at(place).set_bucket(bucket);
    shard.set_rate(place, what.rate);
  }
  mark_changed(shard.at(place));
}

void BucketTable::give_back(std::span<const BucketDemand> demands, const BucketAnswer& answer,
                            TimePoint now) {
  if (!answer.taken || answer.levels.size() != demands.size()) return;
  // From the last to the first, so that with equal keys each demand finds its drops at the end of
  // the queue.
  for (std::size_t i = demands.size(); i-- > 0;) {
    const BucketDemand& what = demands[i];
    const BucketLevel& level = answer.levels[i];
    const std::uint64_t hash = hash_of(bounded(what.key));
    auto its = shard(hash).lock();
    const std::uint32_t place = its->find(static_cast<std::uint32_t>(hash), bounded(what.key));
    if (place == 0) continue;
    BucketRecord record = its->at(place);
    const Duration end(level.end);
    const Duration added = what.rate.time_of(what.amount);
    const TimePoint is = record.bucket().empty_at();
    // A newer bucket of the same name, which never had these drops.
    if ((record.era() ^ level.era) > BucketRecord::kMovesMax) continue;
    // The first drops of the queue leak first. After other drops were taken out, the position of
    // these is not known any more. But no more of them can have leaked than the bucket leaked in
    // total since they were taken.
    const std::uint32_t moves = record.era() & BucketRecord::kMovesMax;
    const bool stands = record.era() == level.era && moves != BucketRecord::kMovesMax;
    const Duration left =
        stands ? end - now.time_since_epoch() : added - (now - TimePoint(Duration(answer.at)));
    const Duration back = std::clamp(left, Duration::zero(), added);
    if (back == Duration::zero()) continue;
    record.set_bucket(LeakyBucket(std::max(is - back, std::min(is, now))));
    if (!stands || is.time_since_epoch() != end) record.note_move();
    mark_lowered(record);
  }
}

std::vector<BucketState> BucketTable::list(std::string_view part, std::size_t most,
                                           TimePoint now) const {
  Best<BucketState, IsFuller> fullest(most);
  for (const auto& shard : shards_) {
    auto its = shard->lock();
    its->walk(0, ~std::size_t{0}, [&](std::uint32_t place) {
      const BucketRecord record = its->at(place);
      if (most == 0 || record.bucket().is_empty(now)) return BucketShard::Fate::kStays;
      const BucketState* least = fullest.worst();
      if (least != nullptr && record.bucket().empty_at() - now <= least->empty_in)
        return BucketShard::Fate::kStays;
      if (record.key().find(part) == std::string_view::npos) return BucketShard::Fate::kStays;
      fullest.add(state_of(*its, place, now));
      return BucketShard::Fate::kStays;
    });
  }
  return fullest.take();
}

std::optional<BucketState> BucketTable::show(std::string_view key, TimePoint now) const {
  const std::uint64_t hash = hash_of(bounded(key));
  auto its = shard(hash).lock();
  const std::uint32_t place = its->find(static_cast<std::uint32_t>(hash), bounded(key));
  if (place == 0 || its->at(place).bucket().is_empty(now)) return std::nullopt;
  return state_of(*its, place, now);
}

bool BucketTable::reset(std::string_view key, TimePoint now) {
  const std::uint64_t hash = hash_of(bounded(key));
  auto its = shard(hash).lock();
  const std::uint32_t place = its->find(static_cast<std::uint32_t>(hash), bounded(key));
  if (place == 0) return false;
  BucketRecord record = its->at(place);
  const bool was_empty = record.bucket().is_empty(now);
  record.set_bucket(LeakyBucket());
  its->renew(place);
  mark_lowered(record);
  return !was_empty;
}

void BucketTable::set(std::string_view key, const LeakRate& rate, LeakyBucket bucket,
                      TimePoint now) {
  const std::uint64_t hash = hash_of(bounded(key));
  auto its = shard(hash).lock();
  put(*its, static_cast<std::uint32_t>(hash), {key, rate}, within(bucket, rate, now), now);
  const std::uint32_t place = its->find(static_cast<std::uint32_t>(hash), bounded(key));
  its->renew(place);
  mark_lowered(its->at(place));
}

std::size_t BucketTable::collect(std::size_t shard, std::size_t first, TimePoint now,
                                 std::vector<Change>& changes) {
  auto its = shards_[shard]->lock();
  return its->walk(first, kWalk, [&](std::uint32_t place) {
    BucketRecord record = its->at(place);
    const bool is_empty = record.bucket().is_empty(now);
    // An empty bucket needs a row only if the file may hold a higher value.
    const int needs = is_empty ? BucketRecord::kLowered : BucketRecord::kChanged;
    if ((record.marks() & needs) != 0)
      changes.push_back({std::string(record.key()), its->rate_of(place), record.bucket()});
    record.set_marks(0);
    return is_empty ? BucketShard::Fate::kGoes : BucketShard::Fate::kStays;
  });
}

void BucketTable::mark_all() {
  for (const auto& shard : shards_) {
    auto its = shard->lock();
    its->walk(0, ~std::size_t{0}, [&](std::uint32_t place) {
      mark_changed(its->at(place));
      return BucketShard::Fate::kStays;
    });
  }
}

void BucketTable::restore(const Change& change, TimePoint now) {
  const std::uint64_t hash = hash_of(bounded(change.key));
  auto its = shard(hash).lock();
  const auto low = static_cast<std::uint32_t>(hash);
  put(*its, low, {change.key, change.rate}, change.bucket, now);
  its->at(its->find(low, bounded(change.key))).set_marks(0);
}

std::size_t BucketTable::size() const {
  std::size_t sum = 0;
  for (const auto& shard : shards_) sum += shard->lock()->size();
  return sum;
}

/// If the table is kept in a file, an empty bucket must stay until the file has its new value.
void BucketTable::mark_lowered(BucketRecord record) const {
  const int lowered = kept_ == Kept::kInFile ? BucketRecord::kLowered : 0;
  record.set_marks(static_cast<std::uint8_t>(record.marks() | BucketRecord::kChanged | lowered));
}

void BucketTable::note_eviction(const BucketShard& shard) {
  if (shard.evicted_type().empty()) return;
  auto evictions = evictions_.lock();
  const bool known = evictions->contains(shard.evicted_type());
  ++(*evictions)[known || evictions->size() < kTypesMax ? shard.evicted_type() : "other"];
}

}  // namespace shingled::storage::buckets
