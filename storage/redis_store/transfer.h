#pragma once

#include <cstdint>
#include <functional>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/options/redis_options.h"
#include "storage/model/work_watcher.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage::redis_store {

/// What is needed to bring hashes out of a Redis database or into one.
struct TransferOptions {
  RedisOptions redis;
  std::chrono::seconds expire{0};  ///< 0 = hashes stay for ever
};

/// What a reading of a database has shown.
struct DumpReport {
  std::uint64_t hashes = 0;
  std::uint64_t broken = 0;       ///< keys of the form of a record that are none
  std::uint64_t lost_slots = 0;   ///< of rspamd 3.4's records: slots others have taken
  std::uint64_t lost_hashes = 0;  ///< of these, with too few left for a match: now direct hashes
};

/// Gives every hash of a Redis database to `take`, once each and in no order (ids count
/// up), while others go on writing: what is added or deleted meanwhile may be there or not, and
/// what a cluster moves from one server to another meanwhile may be missing. A server that is
/// replaced (a fail-over) or restarted would leave out more than that: kUnavailable (where INFO is
/// permitted).
///
/// Shingles are those of the field S; a record without one (rspamd 3.4) gets those of the slots it
/// still owns, as an import of rspamd's SQLite file does (SCHEMA.md). `updated` is what its time to
/// live says, at least `created`.
/// Errors: those of the connection; whatever `take` returns; stopped.
/// Threads: one thread.
/// Memory: 72 bytes a hash, and 340 a hash of rspamd 3.4.
Result<DumpReport> dump_redis(const TransferOptions& options,
                              const std::function<Status(const sqlite::FuzzyRow&)>& take,
                              const Watcher& watcher, Clock& clock, Logger& logger);

}  // namespace shingled::storage::redis_store
