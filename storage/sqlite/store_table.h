#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "storage/replica.h"
#include "storage/sqlite/database.h"

namespace shingled::storage {

/// How many masters a file may have known. More are refused.
inline constexpr std::int64_t kStoresMax = 64;

/// The stores this file knows: itself (number 0) and its masters, each with the place in its
/// journal up to which everything is here.
///
/// Errors: those of Database, kLimit, kCorrupt. Threads: one thread.
class StoreTable {
 public:
  static Result<StoreTable> open(Database& database);

  /// Its own name; nothing before `name_self`.
  [[nodiscard]] std::optional<StoreId> self() const;
  /// The number of a store; a new one where it is not known yet.
  Result<std::int64_t> number_of(const StoreId& store);
  [[nodiscard]] std::optional<StoreId> id_of(std::int64_t number) const;

  // ---- writing; inside a transaction
  /// Gives the file its name, unless it has one.
  Status name_self();
  /// A master, and where in its journal we are; without a position what is stored stays.
  Status save(std::int64_t number, const std::optional<JournalPosition>& position);

 private:
  struct Store {
    std::int64_t number = 0;
    StoreId id{};
  };
  StoreTable(Database& database, std::vector<Store> stores, Statement insert, Statement update)
      : database_(&database),
        stores_(std::move(stores)),
        insert_(std::move(insert)),
        update_(std::move(update)) {}
  static Result<std::vector<Store>> read(Database& database);

  Database* database_;
  std::vector<Store> stores_;  ///< after a rollback perhaps one more than in the file
  Statement insert_;
  Statement update_;
};

}  // namespace shingled::storage
