#pragma once

#include <cstdint>

#include "storage/engine/engine.h"
#include "storage/sqlite/replica_reader.h"

namespace shingled::storage::replication {

/// Forgets a store: what it taught goes, but for what others taught as well, and its number is free
/// for another one. Should it connect again, it is a new one and sends all it has.
///
/// In groups; killed in between, some parts have gone and the rest can be forgotten later. Returns
/// how many of its parts went.
/// Errors: kNotFound, kInvalid (the file's own name), those of Engine and ReplicaReader.
/// Threads: one thread, which waits for the commits.
Result<std::uint64_t> forget_store(engine::Engine& engine, sqlite::ReplicaReader& reader,
                                   const StoreId& store);

}  // namespace shingled::storage::replication
