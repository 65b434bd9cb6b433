#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config/options/storage_options.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/model/flag_set.h"
#include "storage/sqlite/journal.h"
#include "storage/sqlite/owned_file.h"
#include "storage/sqlite/part_table.h"
#include "storage/sqlite/store_table.h"
#include "storage/sqlite/update_names.h"

namespace shingled::storage::sqlite {

/// Ids of rows are 1 to this: the index has 40 bits for them.
inline constexpr std::int64_t kRowIdMax = (std::int64_t{1} << 40U) - 1;

/// One stored digest as the file has it.
struct FuzzyRow {
  std::int64_t id = 0;
  Digest digest;
  FlagSet flags;
  std::uint32_t created = 0;  ///< Unix seconds
  std::uint32_t updated = 0;  ///< Unix seconds; the column `time`
  std::uint64_t source = 0;   ///< who added last; 0 = unknown
  std::optional<Shingles> shingles;

  friend bool operator==(const FuzzyRow&, const FuzzyRow&) = default;
};

/// What the writer needs for replication, beside the hashes themselves.
/// Threads: one thread.
struct ReplicaTables {
  StoreTable stores;
  PartTable parts;
  Journal journal;
  TakebackTable takebacks;

  static Result<ReplicaTables> open(Database& database) {
    auto stores = StoreTable::open(database);
    if (!stores) return stores.error();
    auto parts = PartTable::open(database);
    if (!parts) return parts.error();
    auto journal = Journal::open(database);
    if (!journal) return journal.error();
    auto takebacks = TakebackTable::open(database);
    if (!takebacks) return takebacks.error();
    return ReplicaTables{*std::move(stores), *std::move(parts), *std::move(journal),
                         *std::move(takebacks)};
  }
};

/// The hashes in their file: rows in, rows out. Which digest has which id is known to the index in
/// memory; the file itself has no index by digest (SCHEMA.md says why).
///
/// Errors: those of Database, kCorrupt for a row that cannot be one of ours, kNotFound for one that
/// somebody has taken out of the file with a tool (its id may be another digest's by then).
/// Threads: one thread.
class FuzzyTable {
 public:
  ~FuzzyTable();
  FuzzyTable(const FuzzyTable&) = delete;
  FuzzyTable& operator=(const FuzzyTable&) = delete;
  FuzzyTable(FuzzyTable&&) = delete;
  FuzzyTable& operator=(FuzzyTable&&) = delete;

  /// Opens or creates the file for the one writer.
  static Result<std::unique_ptr<FuzzyTable>> open(const std::string& path, Durability durability);
  /// The same with its lock, which makes sure that there is one.
  /// Errors: those of FileLock, too.
  static Result<std::unique_ptr<FuzzyTable>> open_owned(const std::string& path,
                                                        Durability durability);
  /// Opens an existing file for reading, also while a daemon writes to it.
  static Result<std::unique_ptr<FuzzyTable>> open_read_only(const std::string& path);

  // ---- writing; inside a transaction ------------------------------------------------------------
  Result<Transaction> begin() { return Transaction::begin(*database_); }
  /// Appends a row (its `id` is ignored) and tells its id.
  Result<std::int64_t> insert(const FuzzyRow& row);
  /// Rewrites flags and times of row `row.id`, which has this digest, and source and shingles if
  /// `row` has some.
  Status update(const FuzzyRow& row);
  /// Gives row `id` other shingles, or none.
  Status set_shingles(std::int64_t id, const std::optional<Shingles>& shingles);
  Status forget_source(std::int64_t id);
  /// Which other digest is to be deleted with row `id`.
  Status set_companion(std::int64_t id, const Digest& companion);
  /// Nothing where none was named, what was is no digest, or there is no such row.
  Result<std::optional<Digest>> companion(std::int64_t id);
  /// Deletes the row of this id and digest and gives its shingles, which the index needs to forget
  /// it.
  Result<std::optional<Shingles>> remove(std::int64_t id, const Digest& digest);
  /// Deletes what other tables say of a row that is not there.
  Status remove_leftovers(std::int64_t id);
  /// Which updates were made.
  UpdateNames& update_names() { return *update_names_; }
  /// What other stores teach, and what they have to hear.
  ReplicaTables& replica() { return *replica_; }
  /// Opens a journal of the newest `journal_max` changes, and gives the file a name; with 0 it
  /// closes what there is of a journal. A transaction of its own.
  Status keep_journal(std::uint64_t journal_max);

  // ---- maintenance; outside of transactions
  // ----------------------------------------------------------
  /// Pages the file has and does not use.
  Result<std::int64_t> free_pages();
  Result<std::int64_t> pages();
  /// Gives up to so many unused pages back; the file shrinks at the next checkpoint.
  Status give_back(std::int64_t pages);

  // ---- reading ----------------------------------------------------------------------------------
  /// From now on all reading sees this moment of the file, whatever its writer does. For readers.
  Status hold_still();
  /// Calls `each` for every row in the order of ids until it returns false.
  Status for_each(const std::function<bool(const FuzzyRow&)>& each);
  /// Row `id`, which must be there; for the writer.
  Result<FuzzyRow> row(std::int64_t id);
  /// The row of a digest.
  /// Cost: reads the whole table.
  Result<std::optional<FuzzyRow>> find(const Digest& digest);
  Result<std::int64_t> count();
  [[nodiscard]] Database& database() { return *database_; }

 private:
  struct Statements;
  FuzzyTable(std::optional<FileLock> lock, std::unique_ptr<Database> database);
  Status prepare_to_write(Durability durability);
  Status write_extra_flags(std::int64_t id, const FlagSet& flags);
  [[nodiscard]] Error gone(std::int64_t id) const;

  std::optional<FileLock> lock_;  ///< outlives the database
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;     ///< none for readers
  std::unique_ptr<UpdateNames> update_names_;  ///< none for readers
  std::unique_ptr<ReplicaTables> replica_;     ///< none for readers
  std::int64_t last_id_ = 0;  ///< up to it ids were given, or some table speaks of them
};

}  // namespace shingled::storage::sqlite
