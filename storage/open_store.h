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

}  // namespace shingled::storage
