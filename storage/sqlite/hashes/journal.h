#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "storage/model/replica.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

// Values of the column digest_id in entries that are not about a row of `digests`.
inline constexpr std::int64_t kAskedEntry = 0;
inline constexpr std::int64_t kAnsweredEntry = -1;

/// The number that was given last. It may be the one before an era that has no entries yet.
inline constexpr const char* kJournalEnd =
    "SELECT max(coalesce((SELECT max(number) FROM journal), 0), "
    "coalesce((SELECT max(first) - 1 FROM journal_eras), 0))";

/// The number of starts that are remembered. A mirror that has missed more of them is compared as a
/// whole.
inline constexpr std::int64_t kErasMax = 1024;

/// The numbered list of what this store's mirrors must learn: the digests whose own part changed,
/// and what this store asks of others. An entry is written in the transaction of its change. The
/// file keeps the newest `most` entries.
///
/// An entry holds no values. The sender looks up the part as it is at that time. So a mirror may
/// hear a later state early, and the same state twice; neither does harm, because a part is sent as
/// a whole.
/// Errors: those of Database.
/// Threads: one thread.
class Journal {
 public:
  static Result<Journal> open(Database& database);

  // ---- inside a transaction ----
  /// From now on entries are written, and the newest `most` are kept. Begins an era.
  Status begin(std::uint64_t most);
  /// Deletes the journal, because the file changes without one: each mirror must compare
  /// everything.
  Status forget();
  /// Adds an entry: the own part of a digest has changed. Does nothing before `begin`, like the
  /// next two.
  Status changed(const Digest& digest, std::int64_t digest_id, std::uint32_t now);
  Status asked(const Takeback& takeback, std::uint32_t now);
  Status answered(const TakebackAnswer& answer, std::uint32_t now);
  /// Deletes the entries beyond `most`; once per transaction.
  Status trim();

 private:
  struct Statements {
    Statement insert;
    Statement remove;
  };

  Journal(Database& database, std::int64_t last, Statements statements)
      : database_(&database), last_(last), statements_(std::move(statements)) {}
  Status add_era(std::int64_t first);
  struct Entry {
    std::int64_t digest_id = 0;
    const Digest& digest;
    const StoreId* store = nullptr;
    std::uint32_t flag = 0;
    std::uint32_t created = 0;
  };
  Status append(const Entry& entry, std::uint32_t now);

  Database* database_;
  std::int64_t last_;  ///< number given last; after a rollback, some numbers are not used
  std::int64_t most_ = 0;
  Statements statements_;
};

/// The number of takebacks that are kept; the oldest are deleted.
inline constexpr std::int64_t kTakebacksMax = 65'536;

/// The takebacks that this store has sent to other stores and that are not answered yet. While a
/// takeback is here, the part it names stays hidden. A mirror that is compared as a whole learns
/// it again.
/// Errors: those of Database.
/// Threads: one thread.
class TakebackTable {
 public:
  static Result<TakebackTable> open(Database& database);

  /// Whether there is any takeback. May stay true for a while after the last one has gone.
  [[nodiscard]] bool any() const { return any_; }
  /// The lists that `store` was asked to take back from this digest; 0 = all lists.
  Result<std::vector<std::uint32_t>> of(const Digest& digest, std::int64_t store);

  // ---- inside a transaction ----
  Status add(const Takeback& takeback, std::int64_t store);
  /// Deletes a takeback because its owner has answered.
  Status remove(const Digest& digest, std::int64_t store, std::uint32_t flag);
  /// Deletes all takebacks of a store: it has sent all it has, or it is gone.
  Status remove_all(std::int64_t store);

 private:
  struct Statements {
    Statement select;
    Statement insert;
    Statement trim;
    Statement remove;
    Statement remove_all;
  };

  TakebackTable(Database& database, bool any, Statements statements)
      : database_(&database), any_(any), statements_(std::move(statements)) {}

  Database* database_;
  bool any_;
  Statements statements_;
};

}  // namespace shingled::storage::sqlite
