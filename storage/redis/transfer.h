#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/options/redis_options.h"
#include "storage/formats/import.h"
#include "storage/formats/watcher.h"
#include "storage/redis/redis_route.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage {

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
/// Threads: one thread. Memory: 72 bytes a hash, and 340 a hash of rspamd 3.4.
Result<DumpReport> dump_redis(const TransferOptions& options,
                              const std::function<Status(const FuzzyRow&)>& take,
                              const Watcher& watcher, Clock& clock, Logger& logger);

/// Brings hashes into a Redis database that may be in use, in groups; a hash that is there already
/// is merged by `rule` (see Import), so that no update of others is lost: a merge is written only
/// while the record is what was read, else it is made anew. Shingles go out as unsigned numbers,
/// whatever they came as.
///
/// Each hash is one step (in a cluster the record is, its slots and the counter follow), but not
/// all of them together: what was written before an error stays. To repeat it is safe with every
/// rule but kSum.   Errors: those of the connection. Threads: one thread.
class RedisImport {
 public:
  static Result<std::unique_ptr<RedisImport>> open(const TransferOptions& options, MergeRule rule,
                                                   Clock& clock, Logger& logger);
  ~RedisImport();
  RedisImport(const RedisImport&) = delete;
  RedisImport& operator=(const RedisImport&) = delete;
  RedisImport(RedisImport&&) = delete;
  RedisImport& operator=(RedisImport&&) = delete;

  /// The row's id is ignored; it has at least one flag. One that has expired is left out.
  Status take(const FuzzyRow& coming);
  /// Writes what still waits.
  Status finish();
  [[nodiscard]] const Import::Counts& counts() const;

 private:
  struct State;
  explicit RedisImport(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace shingled::storage
