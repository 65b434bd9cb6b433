#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "storage/fuzzy_store.h"
#include "storage/sqlite/database.h"

namespace shingled::storage {

/// Which updates the file has had lately. They are committed with what they changed, so a client
/// that repeats one because a crash took the answer is not counted twice.
///
/// Errors: those of Database. Threads: one thread.
/// Cost: a row a transaction, which goes after kRepeatSeconds.
class UpdateNames {
 public:
  static Result<UpdateNames> open(Database& database);

  /// Inside a transaction: these are done, and what is older than kRepeatSeconds is forgotten.
  Status append(std::span<const UpdateName> names, std::uint32_t now);
  /// All names not older than `since`, oldest first.
  Result<std::vector<UpdateName>> read(std::uint32_t since);

 private:
  struct Row {
    std::int64_t id = 0;
    std::uint32_t time = 0;
  };

  UpdateNames(Statement insert, Statement remove, Statement select)
      : insert_(std::move(insert)), remove_(std::move(remove)), select_(std::move(select)) {}
  /// No row counts as later than `latest`, or than one behind it.
  void bound_times(std::uint32_t latest);

  Statement insert_;
  Statement remove_;
  Statement select_;
  std::deque<Row> rows_;  ///< in the file, oldest first; after a rollback perhaps one more
  std::int64_t next_id_ = 1;
};

}  // namespace shingled::storage
