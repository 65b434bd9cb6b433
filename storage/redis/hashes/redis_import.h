#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "storage/formats/import.h"
#include "storage/redis/hashes/transfer.h"

namespace shingled::storage::redis {

/// Imports hashes into a Redis database, in groups. The database may be in use. A hash that exists
/// already is merged by `rule` (see Import). No update of others is lost: a merge is written only
/// if the record has not changed since it was read, else it is made again. Shingles are always
/// written as unsigned numbers.
///
/// Each hash is written in one step (in a cluster the record, then its slots and the counter), but
/// the import as a whole is not: after an error, the hashes written before stay. Repeating an
/// import is safe with every rule but kSum.
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

  /// Imports a row, which must have at least one flag; its id is ignored. A row that has expired is
  /// left out. Rows are written in groups, so this may write earlier rows.
  Status take(const sqlite::FuzzyRow& coming);
  /// Writes the rows that still wait.
  Status finish();
  [[nodiscard]] const formats::Import::Counts& counts() const;

 private:
  struct State;
  explicit RedisImport(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace shingled::storage::redis
