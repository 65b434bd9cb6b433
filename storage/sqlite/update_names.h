#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "config/options/storage_options.h"
#include "storage/model/fuzzy_store.h"
#include "storage/sqlite/database.h"

namespace shingled::storage::sqlite {

/// Names of updates in one table of the file, a row a transaction that brought any; for so long and
/// so many, the oldest row goes first.
///
/// Errors: those of Database.
/// Threads: one thread.
/// Cost: 16 bytes of memory a row.
class NameLog {
 public:
  /// How long a row stays, and how many names all of them have.
  struct Bound {
    std::uint32_t seconds = 0;
    std::size_t most = 0;
  };
  /// `table`: with the columns id, time and names; `name_bytes`: of each name.
  static Result<NameLog> open(Database& database, const std::string& table, std::size_t name_bytes,
                              Bound bound);

  void bound(Bound bound) { bound_ = bound; }
  /// Inside a transaction: these are done at `now`, and what is beyond the bound is forgotten.
  Status append(BytesView names, std::uint32_t now);
  /// All names not older than `since`, oldest first, side by side.
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
  /// No row counts as later than `latest`, or than one behind it.
  void bound_times(std::uint32_t latest);

  Statements statements_;
  std::size_t name_bytes_;
  Bound bound_;
  std::deque<Row> rows_;   ///< in the file, oldest first; after a rollback perhaps one more
  std::size_t names_ = 0;  ///< of all rows
  std::int64_t next_id_ = 1;
};

/// Which updates the file has had lately. They are committed with what they changed, so one that is
/// repeated because a crash took the answer is not counted twice, and neither is one that somebody
/// recorded and sends again: that is known by its seal, for as long as RepeatOptions say.
///
/// Errors: those of Database.
/// Threads: one thread.
/// Cost: a row a transaction, which goes after kRepeatSeconds; another one if any was sealed.
class UpdateNames {
 public:
  static Result<UpdateNames> open(Database& database);

  /// What counts from here on.
  void keep(const RepeatOptions& options);
  /// Inside a transaction: these are done; `seals` are those of the ones that were sealed.
  Status append(std::span<const UpdateName> names, std::span<const std::uint64_t> seals,
                std::uint32_t now);
  /// All names not older than `since`, oldest first.
  Result<std::vector<UpdateName>> read(std::uint32_t since);
  Result<std::vector<std::uint64_t>> read_seals(std::uint32_t since);

 private:
  UpdateNames(NameLog names, NameLog seals) : names_(std::move(names)), seals_(std::move(seals)) {}

  NameLog names_;
  NameLog seals_;
};

}  // namespace shingled::storage::sqlite
