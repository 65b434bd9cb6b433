#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "storage/formats/import.h"
#include "storage/redis_store/transfer.h"

namespace shingled::storage::redis_store {

/// Brings hashes into a Redis database that may be in use, in groups; a hash that is there already
/// is merged by `rule` (see Import), so that no update of others is lost: a merge is written only
/// while the record is what was read, else it is made anew. Shingles go out as unsigned numbers,
/// whatever they came as.
///
/// Each hash is one step (in a cluster the record is, its slots and the counter follow), but not
/// all of them together: what was written before an error stays. To repeat it is safe with every
/// rule but kSum.
/// Errors: those of the connection.
/// Threads: one thread.
class RedisImport {
 public:
  static Result<std::unique_ptr<RedisImport>> open(const TransferOptions& options,
                                                   formats::MergeRule rule, Clock& clock,
                                                   Random& random, Logger& logger);
  ~RedisImport();
  RedisImport(const RedisImport&) = delete;
  RedisImport& operator=(const RedisImport&) = delete;
  RedisImport(RedisImport&&) = delete;
  RedisImport& operator=(RedisImport&&) = delete;

  /// The row's id is ignored; it has at least one flag. One that has expired is left out.
  Status take(const sqlite::FuzzyRow& coming);
  /// Writes what still waits.
  Status finish();
  [[nodiscard]] const formats::Import::Counts& counts() const;

 private:
  struct State;
  explicit RedisImport(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace shingled::storage::redis_store
