#include "storage/open_store.h"

#include <utility>

#include "storage/engine/engine.h"
#include "storage/noop_store.h"
#include "storage/redis_store/redis_store.h"

namespace shingled::storage {

namespace {

Result<OpenedStore> open_redis(const StorageOptions& options, Clock& clock, Random& random,
                               Logger& logger) {
  auto store = redis_store::RedisStore::open({.redis = options.redis,
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

}  // namespace shingled::storage
