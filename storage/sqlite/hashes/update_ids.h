#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/options/storage_options.h"
#include "storage/model/fuzzy_store.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// Names of updates in one table of the file; one row per transaction that brought any. Rows that
/// are too old, or beyond the maximum number of names, are removed, the oldest first.
///
/// Errors: those of Database.
/// Threads: one thread.
/// Cost: 16 bytes of memory per row.
class NameLog {
 public:
  /// How long a row is kept, and how many names all rows may have together.
  struct Bound {
    std::uint32_t seconds = 0;
    std::size_t most = 0;
  };
  /// `table`: has the columns id, time and names. `name_bytes`: the length of a name.
  static Result<NameLog> open(Database& database, const std::string& table, std::size_t name_bytes,
                              Bound bound);

  void bound(Bound bound) { bound_ = bound; }
  /// Stores the names of updates done at `now`, and removes the rows beyond the bound. Inside a
  /// transaction.
  Status append(BytesView names, std::uint32_t now);
  /// All names not older than `since`, the oldest first, one directly after the other.
  Result<Bytes> read(std::uint32_t since);

 private:
  struct Row {
    std::int64_t id = 0;
    std::uint32_t time = 0;
    std::uint32_t names = 0;
  };

  struct Statements {
    Statement insert;
    Statement remove;
    Statement select;
  };

  NameLog(Statements statements, std::size_t name_bytes, Bound bound)
      : statements_(std::move(statements)), name_bytes_(name_bytes), bound_(bound) {}
  /// Lowers the times in memory so that none is later than `latest` or than that of the next row.
  void bound_times(std::uint32_t latest);

  Statements statements_;
  std::size_t name_bytes_;
  Bound bound_;
  std::deque<Row> rows_;   ///< rows of the file, oldest first; after a rollback perhaps one more
  std::size_t names_ = 0;  ///< names in all rows
  std::int64_t next_id_ = 1;
};

/// The names of the updates that were committed lately. A name is committed together with its
/// update, so an update is not counted twice if it is sent again because a crash took the answer.
/// The seals of sealed updates are kept as well, for as long as RepeatOptions say: an update that
/// somebody recorded and sends again is recognised by its seal.
///
/// Errors: those of Database.
/// Threads: one thread.
/// Cost: one row per transaction, removed after kRepeatSeconds; one more row if any update was
/// sealed.
class UpdateIds {
 public:
  static Result<UpdateIds> open(Database& database);

  /// Sets how long and how many seals are kept from now on.
  void keep(const RepeatOptions& options);
  /// Stores the names of updates done at `now`, and the seals of those that were sealed. Inside a
  /// transaction.
  Status append(std::span<const UpdateId> names, std::span<const std::uint64_t> seals,
                std::uint32_t now);
  /// All names not older than `since`, the oldest first.
  Result<std::vector<UpdateId>> read(std::uint32_t since);
  Result<std::vector<std::uint64_t>> read_seals(std::uint32_t since);

 private:
  UpdateIds(NameLog names, NameLog seals) : names_(std::move(names)), seals_(std::move(seals)) {}

  NameLog names_;
  NameLog seals_;
};

}  // namespace shingled::storage::sqlite
