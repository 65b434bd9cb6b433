#include "storage/sqlite/store_table.h"

#include <algorithm>
#include <utility>

namespace shingled::storage {

Result<std::vector<StoreTable::Store>> StoreTable::read(Database& database) {
  auto rows = database.prepare("SELECT number, id FROM stores ORDER BY number");
  if (!rows) return rows.error();
  std::vector<Store> stores;
  for (;;) {
    const auto more = rows->step();
    if (!more) return more.error();
    if (!*more) return stores;
    const BytesView id = rows->blob(1);
    if (id.size() != std::tuple_size_v<StoreId>) {
      return Error{ErrorCode::kCorrupt,
                   database.path() + ": stores has an id that is not 16 bytes"};
    }
    std::ranges::copy(id, stores.emplace_back(Store{rows->integer(0), {}}).id.begin());
  }
}

Result<StoreTable> StoreTable::open(Database& database) {
  auto stores = read(database);
  if (!stores) return stores.error();
  auto insert = database.prepare(
      "INSERT OR IGNORE INTO stores (number, id, era, position) VALUES (?, ?, 0, 0)");
  if (!insert) return insert.error();
  auto update = database.prepare("UPDATE stores SET era = ?, position = ? WHERE number = ?");
  if (!update) return update.error();
  return StoreTable(database, *std::move(stores), *std::move(insert), *std::move(update));
}

std::optional<StoreId> StoreTable::self() const { return id_of(0); }

std::optional<StoreId> StoreTable::id_of(std::int64_t number) const {
  const auto at = std::ranges::find(stores_, number, &Store::number);
  if (at == stores_.end()) return std::nullopt;
  return at->id;
}

Result<std::int64_t> StoreTable::number_of(const StoreId& store) {
  const auto at = std::ranges::find(stores_, store, &Store::id);
  if (at != stores_.end()) return at->number;
  std::int64_t next = 1;
  for (const Store& known : stores_) next = std::max(next, known.number + 1);
  if (next > kStoresMax) {
    return Error{ErrorCode::kLimit, database_->path() + ": has known too many masters"};
  }
  stores_.push_back({next, store});
  return next;
}

Status StoreTable::name_self() {
  if (self()) return {};
  if (Status named = database_->execute(
          "INSERT INTO stores (number, id, era, position) VALUES (0, randomblob(16), 0, 0)");
      !named) {
    return named;
  }
  auto stores = read(*database_);
  if (!stores) return stores.error();
  stores_ = *std::move(stores);
  return {};
}

Status StoreTable::save(std::int64_t number, const std::optional<JournalPosition>& position) {
  const auto id = id_of(number);
  if (!id) return Error{ErrorCode::kInternal, "a store without a name"};
  if (Status there = insert_.bind(1, number).bind(2, BytesView(*id)).run(); !there) return there;
  if (!position) return {};
  return update_.bind(1, static_cast<std::int64_t>(position->era))
      .bind(2, static_cast<std::int64_t>(position->number))
      .bind(3, number)
      .run();
}

}  // namespace shingled::storage
