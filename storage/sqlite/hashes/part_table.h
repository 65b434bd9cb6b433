#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "storage/model/replica.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// One part of a digest, as the file has it.
struct StoredPart {
  std::int64_t store = 0;  ///< number in `stores`; 0 = the file's own
  Part part;
  std::uint32_t mark = 0;  ///< number of the comparison that brought it; 0 = the journal
};

/// The parts of the digests that other stores teach, too. A digest without a row here has only the
/// file's own part, which is its row in `digests`. If another store has a part, all parts are here,
/// and the row in `digests` is made of them.
///
/// Shingles that are equal to those of the row in `digests` are not written a second time.
/// Errors: those of Database; kCorrupt for a row that cannot be valid.
/// Threads: one thread.
class PartTable {
 public:
  static Result<PartTable> open(Database& database);

  /// Whether there is any row. May stay true for a while after the last one has gone.
  [[nodiscard]] bool any() const { return any_; }
  struct Parts {
    std::vector<StoredPart> parts;  ///< ordered by store
    std::optional<Error> damage;    ///< why the first unreadable part is left out: kCorrupt
  };
  /// All parts of a digest that can be read. `shingles`: those of its row in `digests`.
  Result<Parts> of(std::int64_t digest_id, const std::optional<Shingles>& shingles);
  /// Looks at the rows of digests after `after`, at most `most` rows. Returns the ids of the
  /// digests with a part that was last updated at `time` or before, and where to continue (0 =
  /// there are no more).
  struct Walk {
    std::vector<std::int64_t> digest_ids;
    std::int64_t next = 0;
  };
  Result<Walk> updated_until(std::uint32_t time, std::int64_t after, std::int64_t most);

  // ---- writing; inside a transaction ----
  Status put(std::int64_t digest_id, const StoredPart& part,
             const std::optional<Shingles>& shingles);
  Status remove(std::int64_t digest_id);

 private:
  struct Statements {
    Statement select;
    Statement walk;
    Statement insert;
    Statement remove;
  };

  PartTable(Database& database, bool any, Statements statements)
      : database_(&database), any_(any), statements_(std::move(statements)) {}

  Database* database_;
  bool any_;
  Statements statements_;
};

/// Reads a row of `parts`. Its columns begin at `column`: store, flags, updated, created, source,
/// shingle_set, mark. `shingles`: those of the row in `digests`.
/// Errors: kCorrupt; names the file and the digest's row.
Result<StoredPart> read_part(const Database& database, const Statement& row, int column,
                             std::int64_t digest_id, const std::optional<Shingles>& shingles);

/// The most masters that a file may know; more are refused.
inline constexpr std::int64_t kStoresMax = 64;

/// The stores that this file knows: itself (number 0) and its masters. Each master has the key it
/// connected with, and the position in its journal up to which everything is here.
///
/// A name belongs to the key that used it first, and a key has one name. So no store can use the
/// name of another, and there are no more names than keys. A known key with a new name means that
/// the key was given to a new store: its number continues under the new name, and everything it has
/// is compared.
///
/// Errors: those of Database, kLimit, kCorrupt.
/// Threads: one thread.
class StoreTable {
 public:
  static Result<StoreTable> open(Database& database);

  /// The own name; nullopt before `name_self`.
  [[nodiscard]] std::optional<StoreId> self();
  /// Which store a name and a key belong to.
  struct Claim {
    enum class Kind : std::uint8_t {
      kKnown,     ///< same name and key as before
      kNew,       ///< neither name nor key is known
      kFirstKey,  ///< the name is known, but has no key yet
      kRenames,   ///< the key had another name until now
    };
    Kind kind = Kind::kKnown;
    std::int64_t number = 0;
    StoreId id{};
    StoreKey key{};
  };
  /// Finds out which store uses this name and key. Changes nothing; `save` does.
  /// Errors: kDenied (the name belongs to another key, or both are known and do not belong
  /// together), kLimit (kStoresMax).
  Result<Claim> claim(const StoreId& store, const StoreKey& key);
  [[nodiscard]] std::optional<std::int64_t> number_of(const StoreId& store);
  [[nodiscard]] std::optional<StoreId> id_of(std::int64_t number);

  // ---- writing; inside a transaction ----
  /// Gives the file a name, unless it has one.
  Status name_self();
  /// Stores a master and our position in its journal. Without a position, the stored one stays,
  /// unless it was that of another store.
  Status save(const Claim& claim, const std::optional<JournalPosition>& position);
  /// Deletes a master, so that its number is free again. Does nothing while there are parts of it.
  Status forget(std::int64_t number);

 private:
  struct Store {
    std::int64_t number = 0;
    StoreId id{};
    std::optional<StoreKey> key;
  };
  StoreTable(Database& database, std::vector<Store> stores, Statement update)
      : database_(&database), stores_(std::move(stores)), update_(std::move(update)) {}
  static Result<std::vector<Store>> read(Database& database);
  /// Reads the stores again after a write, because the write may have been rolled back.
  void refresh();
  Status write(const char* text, const Claim& claim);

  Database* database_;
  std::vector<Store> stores_;
  bool stale_ = false;
  Statement update_;
};

}  // namespace shingled::storage::sqlite
