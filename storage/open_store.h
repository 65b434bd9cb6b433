#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "config/options/ratelimit_options.h"
#include "config/options/storage_options.h"
#include "storage/buckets/bucket_store.h"
#include "storage/counters/counter_store.h"
#include "storage/engine/loader.h"
#include "storage/model/fuzzy_store.h"
#include "storage/people/people_store.h"

namespace shingled::storage::engine {
class Engine;
}

namespace shingled::storage {

/// An open store, and its engine if the back end has one.
struct OpenedStore {
  std::unique_ptr<FuzzyStore> store;
  /// The same object as `store` if it is the embedded engine, else null. Only the engine can be a
  /// master and a mirror.
  engine::Engine* engine = nullptr;
};

/// Opens the store that `storage.backend` names: the embedded engine, Redis, or a store that keeps
/// nothing. `clock`, `random` and `logger` must outlive the store.
/// `watcher` learns how much of its file the engine has loaded, and can stop the loading.
/// Errors: those of Engine::open and RedisStore::open, with the name of the option.
Result<OpenedStore> open_store(const StorageOptions& options, Clock& clock, Random& random,
                               Logger& logger, const engine::LoadWatcher& watcher = {});

/// Opens the counters: those of this machine, or those shared in Redis if `counters.servers` names
/// servers. `clock`, `random` and `logger` must outlive the store. `mark`: of the site's key
/// (counters/counter_key.h); what was counted with another one is not opened.
/// Errors: those of EmbeddedCounterStore::open and SharedCounters::open, with the option.
Result<std::unique_ptr<counters::CounterStore>> open_counters(
    const CounterOptions& options, Clock& clock, Random& random, Logger& logger,
    std::optional<std::uint64_t> mark = {});

/// Opens what people said: the file of this machine, or what daemons share in Redis beside the
/// counters. `site`: a number that follows from the site's key.
/// Errors: those of EmbeddedPeople::open.
Result<std::unique_ptr<people::PeopleStore>> open_people(const CounterOptions& options,
                                                         std::uint64_t site, Clock& clock,
                                                         Logger& logger);

/// Opens the buckets that section `ratelimit` asks for: in memory, kept in `file`, or in Redis.
/// Clock, random source and logger must outlive them.
/// Errors: those of EmbeddedBuckets::open. A Redis server that is away is not an error; it may come
/// later.
Result<std::unique_ptr<buckets::BucketStore>> open_buckets(const MailLimitOptions& options,
                                                           Clock& clock, Random& random,
                                                           Logger& logger);

}  // namespace shingled::storage
