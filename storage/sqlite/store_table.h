#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "storage/model/replica.h"
#include "storage/sqlite/database.h"

namespace shingled::storage::sqlite {

/// How many masters a file may know. More are refused.
inline constexpr std::int64_t kStoresMax = 64;

/// The stores this file knows: itself (number 0) and its masters, each with the key it came under
/// and the place in its journal up to which everything is here.
///
/// A name belongs to the key that brought it first, and a key has one name: nobody speaks in
/// another's name, and there are no more names than keys. A key that comes with a name never heard
/// of was given to a new store: its number goes on under the new name, and all it has is compared.
///
/// Errors: those of Database, kLimit, kCorrupt.
/// Threads: one thread.
class StoreTable {
 public:
  static Result<StoreTable> open(Database& database);

  /// Its own name; nothing before `name_self`.
  [[nodiscard]] std::optional<StoreId> self();
  /// Who a store is that says its name under a key.
  struct Claim {
    enum class Kind : std::uint8_t {
      kKnown,     ///< as it came before
      kNew,       ///< neither name nor key were heard of
      kFirstKey,  ///< a name from before names had keys
      kRenames,   ///< the key had another name so far
    };
    Kind kind = Kind::kKnown;
    std::int64_t number = 0;
    StoreId id{};
    StoreKey key{};
  };
  /// Changes nothing; `save` does.
  /// Errors: kDenied (the name is of another key, or both are known and do not belong together),
  /// kLimit (kStoresMax).
  Result<Claim> claim(const StoreId& store, const StoreKey& key);
  [[nodiscard]] std::optional<std::int64_t> number_of(const StoreId& store);
  [[nodiscard]] std::optional<StoreId> id_of(std::int64_t number);

  // ---- writing; inside a transaction
  /// Gives the file its name, unless it has one.
  Status name_self();
  /// A master, and where in its journal we are; without a position what is stored stays, unless it
  /// was another store's.
  Status save(const Claim& claim, const std::optional<JournalPosition>& position);
  /// Its number is free again, unless there are still parts of it.
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
  /// What was written may have been committed or rolled back: the file knows.
  void refresh();
  Status write(const char* text, const Claim& claim);

  Database* database_;
  std::vector<Store> stores_;
  bool stale_ = false;
  Statement update_;
};

}  // namespace shingled::storage::sqlite
