#include "storage/buckets/embedded_buckets.h"

#include "config/metrics/metric_report.h"

namespace shingled::storage::buckets {

namespace {

BucketHashKey random_key(Random& random) {
  BucketHashKey key{};
  random.fill(key);
  return key;
}

}  // namespace

EmbeddedBuckets::EmbeddedBuckets(std::size_t most, Clock& clock, Random& random)
    : EmbeddedBuckets(most, BucketTable::Kept::kInMemory, clock, random) {}

EmbeddedBuckets::EmbeddedBuckets(std::size_t most, BucketTable::Kept kept, Clock& clock,
                                 Random& random)
    : clock_(clock), table_(most, random_key(random), kept) {}

Result<std::unique_ptr<EmbeddedBuckets>> EmbeddedBuckets::open(std::size_t most,
                                                               const std::string& path,
                                                               Clock& clock, Random& random,
                                                               Logger& logger) {
  std::unique_ptr<EmbeddedBuckets> store(
      new EmbeddedBuckets(most, BucketTable::Kept::kInFile, clock, random));
  auto flusher =
      BucketFlusher::open({.path = path, .rows_max = 2 * most}, store->table_, clock, logger);
  if (!flusher) return flusher.error();
  store->flusher_ = *std::move(flusher);
  return store;
}

BucketAnswer EmbeddedBuckets::take(std::span<const BucketDemand> demands, TimePoint /*deadline*/) {
  return table_.take(demands, clock_.now());
}

void EmbeddedBuckets::give_back(std::span<const BucketDemand> demands, const BucketAnswer& answer,
                                TimePoint /*deadline*/) {
  table_.give_back(demands, answer, clock_.now());
}

Result<std::vector<BucketState>> EmbeddedBuckets::list(std::string_view part, std::size_t most,
                                                       TimePoint /*deadline*/) {
  return table_.list(part, most, clock_.now());
}

Result<std::optional<BucketState>> EmbeddedBuckets::show(std::string_view key,
                                                         TimePoint /*deadline*/) {
  return table_.show(key, clock_.now());
}

Result<bool> EmbeddedBuckets::reset(std::string_view key, TimePoint /*deadline*/) {
  return table_.reset(key, clock_.now());
}

Status EmbeddedBuckets::set(std::string_view key, const LeakRate& rate, double drops,
                            TimePoint /*deadline*/) {
  const TimePoint now = clock_.now();
  table_.set(key, rate, LeakyBucket(now + rate.time_of(drops)), now);
  return {};
}

void EmbeddedBuckets::report(MetricReport& report) const {
  report.gauge({"shingled_buckets", "Leaky buckets in memory."}, std::uint64_t{table_.size()});
  constexpr MetricName kEvicted{"shingled_buckets_evicted",
                                "Buckets that were not empty when others took their place."};
  for (const auto& [type, count] : table_.evictions())
    report.counter(kEvicted, count, {{"type", type}});
}

}  // namespace shingled::storage::buckets
