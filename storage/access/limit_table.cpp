#include "storage/access/limit_table.h"

#include <algorithm>
#include <bit>

namespace shingled::storage::access {

namespace {

constexpr double kLevelAfterBan = 0.9;  // of the burst: PROTOCOL.md 5.10

/// The level of a bucket after a ban, as the time that it takes to leak. There is room for at least
/// one request; otherwise the next request would start a new ban.
Duration level_after_ban(const LeakRate& rate) {
  const auto most = std::chrono::duration_cast<Duration>(rate.room() * kLevelAfterBan);
  return std::min(most, rate.room() - rate.time_of(1));
}

constexpr auto kRelaxed = std::memory_order_relaxed;

TimePoint::rep instant(TimePoint time) { return time.time_since_epoch().count(); }

/// Changes a bucket atomically. `change` changes its argument and returns whether it did so.
template <typename Change>
bool update(std::atomic<LeakyBucket>& place, Change change) {
  LeakyBucket is = place.load(kRelaxed);
  while (true) {
    LeakyBucket will = is;
    if (!change(will)) return false;
    if (place.compare_exchange_weak(is, will, kRelaxed)) return true;
  }
}

}  // namespace

LimitTable::LimitTable(std::size_t buckets)
    : sets_(std::bit_ceil((std::max<std::size_t>(buckets, 1) + kWays - 1) / kWays)) {}

LimitTable::Decision LimitTable::add(std::uint64_t source, const LimitLaw& law, TimePoint now) {
  const Place place = find_or_take(source, now);
  Instant banned_until = place.banned_until.load(kRelaxed);
  if (banned_until > instant(now)) return Decision::kRefused;
  if (update(place.bucket, [&](LeakyBucket& b) { return b.try_add(1, law.rate, now); }))
    return Decision::kPass;
  if (law.ban == Duration::zero()) return Decision::kRefused;
  const TimePoint end = now + law.ban;
  // Only one of several workers begins the ban.
  if (!place.banned_until.compare_exchange_strong(banned_until, instant(end), kRelaxed))
    return Decision::kRefused;
  const LeakyBucket after(end + level_after_ban(law.rate));
  update(place.bucket, [&](LeakyBucket& bucket) {
    if (bucket.empty_at() >= after.empty_at()) return false;
    bucket = after;
    return true;
  });
  return Decision::kNowBanned;
}

void LimitTable::take_back(std::uint64_t source, const LimitLaw& law, TimePoint now) {
  update(find_or_take(source, now).bucket, [&](LeakyBucket& bucket) {
    bucket.take_back(1, law.rate, now);
    return true;
  });
}

LimitTable::Place LimitTable::find_or_take(std::uint64_t source, TimePoint now) {
  Set& set = sets_[source & (sets_.size() - 1)];
  const auto place = [&](std::size_t i) { return Place{set.buckets[i], set.banned_until[i]}; };
  while (true) {
    for (std::size_t i = 0; i < kWays; ++i) {
      if (set.sources[i].load(kRelaxed) == source) return place(i);
    }
    const std::size_t i = least(set);
    std::uint64_t other = set.sources[i].load(kRelaxed);
    // Another worker took the place: search again, because it may have been for the same source.
    if (!set.sources[i].compare_exchange_strong(other, source, kRelaxed)) continue;
    if (other != 0 && !set.buckets[i].load(kRelaxed).is_empty(now))
      evictions_.fetch_add(1, kRelaxed);
    set.buckets[i].store(LeakyBucket(), kRelaxed);
    set.banned_until[i].store(0, kRelaxed);
    return place(i);
  }
}

/// Returns the free place of the set, else the place that will be free first.
std::size_t LimitTable::least(const Set& set) {
  std::size_t best = 0;
  Instant best_end = 0;
  for (std::size_t i = 0; i < kWays; ++i) {
    if (set.sources[i].load(kRelaxed) == 0) return i;
    const Instant end = std::max(instant(set.buckets[i].load(kRelaxed).empty_at()),
                                 set.banned_until[i].load(kRelaxed));
    if (i != 0 && end >= best_end) continue;
    best = i;
    best_end = end;
  }
  return best;
}

std::vector<LimitTable::Entry> LimitTable::entries(TimePoint now) const {
  std::vector<Entry> out;
  for (const Set& set : sets_) {
    for (std::size_t i = 0; i < kWays; ++i) {
      const std::uint64_t source = set.sources[i].load(kRelaxed);
      const LeakyBucket bucket = set.buckets[i].load(kRelaxed);
      if (source == 0 || bucket.is_empty(now)) continue;
      const Duration ban(set.banned_until[i].load(kRelaxed) - instant(now));
      out.push_back({source, bucket.empty_at() - now, std::max(ban, Duration::zero())});
    }
  }
  return out;
}

void LimitTable::restore(std::span<const Entry> entries, TimePoint now) {
  for (const Entry& entry : entries) {
    const Place place = find_or_take(entry.source, now);
    place.bucket.store(LeakyBucket(now + entry.empty_in), kRelaxed);
    place.banned_until.store(entry.ban > Duration::zero() ? instant(now + entry.ban) : 0, kRelaxed);
  }
}

}  // namespace shingled::storage::access
