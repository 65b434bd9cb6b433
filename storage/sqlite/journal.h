#pragma once

#include <cstdint>
#include <vector>

#include "storage/model/replica.h"
#include "storage/sqlite/database.h"

namespace shingled::storage::sqlite {

// What stands in the column digest_id of entries that are about no row of ours.
inline constexpr std::int64_t kAskedEntry = 0;
inline constexpr std::int64_t kAnsweredEntry = -1;

/// The number given last, which may be that before an era without entries.
inline constexpr const char* kJournalEnd =
    "SELECT max(coalesce((SELECT max(number) FROM journal), 0), "
    "coalesce((SELECT max(first) - 1 FROM journal_eras), 0))";

/// So many starts are remembered; a mirror that has missed more of them is compared as a whole.
inline constexpr std::int64_t kErasMax = 1024;

/// What this store's mirrors have to hear, numbered: which digests its own parts changed of, and
/// what it asks of others. Written in the transaction of the change; the oldest entries beyond
/// `most` go.
///
/// An entry has no values. Who sends it looks up the part as it is by then, so a mirror may hear a
/// later state early and the same state twice: both are as good, for a part is sent as a whole.
/// Errors: those of Database.
/// Threads: one thread.
class Journal {
 public:
  static Result<Journal> open(Database& database);

  // ---- inside a transaction
  /// From now on there are entries, the newest `most` of them. Begins an era.
  Status begin(std::uint64_t most);
  /// The file changes without a journal: who followed it has to compare everything.
  Status forget();
  /// The own part of a digest changed; nothing before `begin`.
  Status changed(const Digest& digest, std::int64_t digest_id, std::uint32_t now);
  Status asked(const Takeback& takeback, std::uint32_t now);
  Status answered(const TakebackAnswer& answer, std::uint32_t now);
  /// Drops what is too much; once a transaction.
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
  std::int64_t last_;  ///< number given last; after a rollback some are left out
  std::int64_t most_ = 0;
  Statements statements_;
};

/// Takebacks kept; the oldest go first.
inline constexpr std::int64_t kTakebacksMax = 65'536;

/// What this store has asked others to take back and has not seen taken back yet. As long as it
/// stands here, the part in question stays hidden; a mirror that is compared as a whole hears it
/// again.
/// Errors: those of Database.
/// Threads: one thread.
class TakebackTable {
 public:
  static Result<TakebackTable> open(Database& database);

  /// Is there any? May say yes for a while when there is none any more.
  [[nodiscard]] bool any() const { return any_; }
  /// The lists in question; 0 = all.
  Result<std::vector<std::uint32_t>> of(const Digest& digest, std::int64_t store);

  // ---- inside a transaction
  Status add(const Takeback& takeback, std::int64_t store);
  /// The owner has answered.
  Status remove(const Digest& digest, std::int64_t store, std::uint32_t flag);
  /// The owner has said all it has.
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
