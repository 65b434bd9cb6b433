#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/options/storage_options.h"
#include "storage/engine/loader.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::engine {
class Engine;
}

namespace shingled::storage {

/// A store, and what only some back ends have.
struct OpenedStore {
  std::unique_ptr<FuzzyStore> store;
  /// The same object if it is the embedded engine, which can be a master and a mirror; else null.
  engine::Engine* engine = nullptr;
};

/// The store that `storage.backend` asks for: the embedded engine, Redis, or none.
/// Clock, random source and logger must outlive it.
/// `watcher` hears how far the engine is with loading its file, and may end it.
/// Errors: those of Engine::open and RedisStore::open, naming the option.
Result<OpenedStore> open_store(const StorageOptions& options, Clock& clock, Random& random,
                               Logger& logger, const engine::LoadWatcher& watcher = {});

}  // namespace shingled::storage
