#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "storage/model/replica.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

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
