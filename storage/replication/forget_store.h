#pragma once

#include <cstdint>

#include "storage/engine/engine.h"
#include "storage/sqlite/hashes/replica_reader.h"

namespace shingled::storage::replication {

/// Forgets another store: deletes its parts and frees its number. What other stores taught as well
/// stays. If the store connects again, it is treated as new and sends everything.
///
/// Works in groups. If the process is killed in between, a later call deletes the rest. Returns the
/// number of deleted parts.
/// Errors: kNotFound, kInvalid (the store of this file itself), those of Engine and ReplicaReader.
/// Threads: one thread, which waits for the commits.
Result<std::uint64_t> forget_store(engine::Engine& engine, sqlite::ReplicaReader& reader,
                                   const StoreId& store);

}  // namespace shingled::storage::replication
