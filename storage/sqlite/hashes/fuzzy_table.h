#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config/options/storage_options.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/model/fuzzy_store.h"
#include "storage/sqlite/base/owned_file.h"
#include "storage/sqlite/hashes/journal.h"
#include "storage/sqlite/hashes/part_table.h"
#include "storage/sqlite/hashes/update_ids.h"

namespace shingled::storage::sqlite {

/// The highest id of a row; ids begin at 1. The index has 40 bits for them.
inline constexpr std::int64_t kRowIdMax = (std::int64_t{1} << 40U) - 1;

/// One stored digest, as the file has it.
struct FuzzyRow {
  std::int64_t id = 0;
  Digest digest;
  FlagSet flags;
  std::uint32_t created = 0;  ///< Unix seconds
  std::uint32_t updated = 0;  ///< Unix seconds; the column `time`
  std::uint64_t source = 0;   ///< client that added last; 0 = unknown
  std::optional<Shingles> shingles;

  friend bool operator==(const FuzzyRow&, const FuzzyRow&) = default;
};

/// The tables for replication, as the writer needs them.
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

/// The hashes in their file: stores and reads rows. The index in memory knows which digest has
/// which id; the file has no index by digest (SCHEMA.md says why).
///
/// Errors: those of Database; kCorrupt for a row that cannot be valid; kNotFound for a row that was
/// removed from the file with a tool (its id may belong to another digest by then).
/// Threads: one thread.
class FuzzyTable {
 public:
  ~FuzzyTable();
  FuzzyTable(const FuzzyTable&) = delete;
  FuzzyTable& operator=(const FuzzyTable&) = delete;
  FuzzyTable(FuzzyTable&&) = delete;
  FuzzyTable& operator=(FuzzyTable&&) = delete;

  /// Opens or creates the file for the only writer.
  static Result<std::unique_ptr<FuzzyTable>> open(const std::string& path, Durability durability);
  /// Like `open`, and takes the lock of the file, which makes sure that there is no other writer.
  /// Errors: also those of FileLock.
  static Result<std::unique_ptr<FuzzyTable>> open_owned(const std::string& path,
                                                        Durability durability);
  /// Opens an existing file for reading, also while a daemon writes to it.
  static Result<std::unique_ptr<FuzzyTable>> open_read_only(const std::string& path);

  /// The same for `row` and `companion`, of a file that a daemon of this version has opened.
  static Result<std::unique_ptr<FuzzyTable>> open_for_rows(const std::string& path);

  // ---- writing; inside a transaction ----
  Result<Transaction> begin() { return Transaction::begin(*database_); }
  /// Appends a row (`row.id` is ignored) and returns the new id.
  Result<std::int64_t> insert(const FuzzyRow& row);
  /// Rewrites flags and times of row `row.id`, which must have this digest. Source and shingles are
  /// rewritten only if `row` has them.
  Status update(const FuzzyRow& row);
  /// Replaces the shingles of row `id`; nullopt removes them.
  Status set_shingles(std::int64_t id, const std::optional<Shingles>& shingles);
  Status forget_source(std::int64_t id);
  /// Sets the digest that is deleted together with row `id`.
  Status set_companion(std::int64_t id, const Digest& companion);
  /// The companion of row `id`; nullopt if it has none, if the stored one is not a valid digest, or
  /// if there is no such row.
  Result<std::optional<Digest>> companion(std::int64_t id);
  /// Deletes the row with this id and digest. Returns its shingles, which the index needs to remove
  /// the record.
  Result<std::optional<Shingles>> remove(std::int64_t id, const Digest& digest);
  /// Deletes the entries of other tables for row `id`, if the row does not exist.
  Status remove_leftovers(std::int64_t id);
  /// The names of the updates that were committed lately.
  UpdateIds& update_ids() { return *update_ids_; }
  /// What other stores teach, and what they must learn.
  ReplicaTables& replica() { return *replica_; }
  /// Keeps a journal of the newest `journal_max` changes, and gives the file a name. 0 deletes the
  /// journal. Runs a transaction of its own.
  Status keep_journal(std::uint64_t journal_max);

  // ---- maintenance; outside of transactions ----
  /// Pages of the file that are not in use.
  Result<std::int64_t> free_pages();
  Result<std::int64_t> pages();
  /// Gives up to `pages` unused pages back; the file shrinks at the next checkpoint.
  Status give_back(std::int64_t pages);
  /// Writes a page as it is, to find out whether the disk takes it.
  Status touch();

  // ---- reading ----
  /// From now on all reading sees the file as it is now, whatever its writer does. For readers.
  Status hold_still();
  /// Calls `each` for every row in the order of ids until it returns false.
  Status for_each(const std::function<bool(const FuzzyRow&)>& each);
  /// Row `id`; kNotFound if it does not exist. For the writer, and with `open_for_rows`.
  Result<FuzzyRow> row(std::int64_t id);
  /// The row of a digest; nullopt if there is none.
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

  std::optional<FileLock> lock_;  ///< must outlive the database
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;  ///< null for readers
  std::unique_ptr<UpdateIds> update_ids_;   ///< null for readers
  std::unique_ptr<ReplicaTables> replica_;  ///< null for readers
  std::int64_t last_id_ = 0;  ///< highest id that was given or that any table mentions
};

}  // namespace shingled::storage::sqlite
