#include "storage/open_store.h"

#include <utility>

#include "config/metrics/metric_report.h"
#include "storage/buckets/embedded_buckets.h"
#include "storage/counters/embedded/embedded_store.h"
#include "storage/engine/engine.h"
#include "storage/model/fuzzy_store.h"
#include "storage/people/embedded_people.h"
#include "storage/people/shared_people.h"
#include "storage/redis/buckets/redis_buckets.h"
#include "storage/redis/counters/shared_counters.h"
#include "storage/redis/hashes/redis_store.h"

namespace shingled::storage {

namespace {

/// A store that keeps nothing: every CHECK is a miss and every update succeeds (PROTOCOL.md 5.8).
/// Threads: any thread.
class NoopStore final : public FuzzyStore {
 public:
  [[nodiscard]] std::optional<Match> check(const Digest& /*digest*/, const Shingles* /*shingles*/,
                                           std::uint32_t /*now*/) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::vector<Match> check_all(const Fingerprint& /*fingerprint*/,
                                             std::uint32_t /*now*/,
                                             std::size_t /*most*/) const override {
    return {};
  }
  // NOLINTNEXTLINE(performance-unnecessary-value-param): FuzzyStore passes it by value
  void submit(Update /*update*/, UpdateDone done) override { done({}); }
  [[nodiscard]] std::uint64_t size() const override { return 0; }
  void report(MetricReport& report) const override {
    report.gauge({"shingled_storage_records", "Hashes stored."}, size());
  }
};

Result<OpenedStore> open_redis(const StorageOptions& options, Clock& clock, Random& random,
                               Logger& logger) {
  auto store = redis::RedisStore::open({.redis = options.redis,
                                        .expire = options.engine.expire,
                                        .journal = options.engine.hashfile + ".journal",
                                        .update_queue_max = options.engine.update_queue_max,
                                        .refresh_hits = !options.server.read_only},
                                       clock, random, logger);
  if (!store) return store.error().in("storage.redis");
  return OpenedStore{.store = *std::move(store)};
}

}  // namespace

Result<OpenedStore> open_store(const StorageOptions& options, Clock& clock, Random& random,
                               Logger& logger, const engine::LoadWatcher& watcher) {
  switch (options.backend) {
    case Backend::kRedis:
      return open_redis(options, clock, random, logger);
    case Backend::kNoop:
      return OpenedStore{.store = std::make_unique<NoopStore>()};
    case Backend::kEmbedded:
      break;
  }
  auto engine = engine::Engine::open(options.engine, clock, logger, watcher);
  if (!engine) return engine.error().in("storage.hashfile");
  OpenedStore opened{.store = nullptr, .engine = engine->get()};
  opened.store = *std::move(engine);
  return opened;
}

Result<std::unique_ptr<counters::CounterStore>> open_counters(const CounterOptions& options,
                                                              Clock& clock, Random& random,
                                                              Logger& logger,
                                                              std::optional<std::uint64_t> mark) {
  if (options.shared.enabled()) {
    auto store = redis::SharedCounters::open(options.shared, clock, random, logger, mark);
    if (!store) return store.error().in("counters.journal_directory");
    return std::unique_ptr<counters::CounterStore>(*std::move(store));
  }
  auto store = counters::EmbeddedCounterStore::open(options.embedded, clock, logger, mark);
  if (!store) return store.error().in("counters.directory");
  return std::unique_ptr<counters::CounterStore>(*std::move(store));
}

Result<std::unique_ptr<people::PeopleStore>> open_people(const CounterOptions& options,
                                                         std::uint64_t site, Clock& clock,
                                                         Logger& logger) {
  if (options.shared.enabled())
    return std::unique_ptr<people::PeopleStore>(std::make_unique<people::SharedPeople>(
        people::SharedPeople::Options{options.shared.redis, options.keep_reports}, clock));
  auto store = people::EmbeddedPeople::open(
      {.path = options.people_path(), .site = site, .keep = options.keep_reports}, clock, logger);
  if (!store) return store.error().in("counters.directory");
  return std::unique_ptr<people::PeopleStore>(*std::move(store));
}

Result<std::unique_ptr<buckets::BucketStore>> open_buckets(const MailLimitOptions& options,
                                                           Clock& clock, Random& random,
                                                           Logger& logger) {
  using buckets::EmbeddedBuckets;
  if (!options.shared() && !options.file.empty()) {
    auto kept = EmbeddedBuckets::open(options.buckets_max, options.file, clock, random, logger);
    if (!kept) return kept.error().in("ratelimit.file");
    return std::unique_ptr<buckets::BucketStore>(*std::move(kept));
  }
  auto local = std::make_unique<EmbeddedBuckets>(options.buckets_max, clock, random);
  if (!options.shared()) return std::unique_ptr<buckets::BucketStore>(std::move(local));
  return std::unique_ptr<buckets::BucketStore>(
      std::make_unique<redis::RedisBuckets>(options.redis, std::move(local), clock, logger));
}

}  // namespace shingled::storage
