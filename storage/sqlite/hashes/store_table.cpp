#include "storage/sqlite/hashes/store_table.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "storage/sqlite/base/statements.h"

namespace shingled::storage::sqlite {

namespace {

constexpr const char* kStores =
    "SELECT number, id, key FROM stores LEFT JOIN store_keys ON store = number ORDER BY number";

}  // namespace

Result<std::vector<StoreTable::Store>> StoreTable::read(Database& database) {
  auto rows = database.prepare(kStores);
  if (!rows) return rows.error();
  std::vector<Store> stores;
  Status read = for_each_row(*rows, [&](const Statement& row) -> Status {
    Store store{row.integer(0), {}, std::nullopt};
    if (!row.copy_blob(1, store.id)) {
      return Error{ErrorCode::kCorrupt,
                   database.path() + ": stores has an id that is not 16 bytes"};
    }
    if (!row.is_null(2) && !row.copy_blob(2, store.key.emplace())) {
      return Error{ErrorCode::kCorrupt,
                   database.path() + ": store_keys has a key that is not 32 bytes"};
    }
    stores.push_back(store);
    return {};
  });
  if (!read) return read.error();
  return stores;
}

Result<StoreTable> StoreTable::open(Database& database) {
  auto stores = read(database);
  if (!stores) return stores.error();
  auto update = database.prepare("UPDATE stores SET era = ?, position = ? WHERE number = ?");
  if (!update) return update.error();
  return StoreTable(database, *std::move(stores), *std::move(update));
}

void StoreTable::refresh() {
  if (!stale_) return;
  auto stores = read(*database_);
  if (!stores) return;  // the next statement will report the error
  stores_ = *std::move(stores);
  stale_ = false;
}

std::optional<StoreId> StoreTable::self() { return id_of(0); }

std::optional<StoreId> StoreTable::id_of(std::int64_t number) {
  refresh();
  const auto at = std::ranges::find(stores_, number, &Store::number);
  if (at == stores_.end()) return std::nullopt;
  return at->id;
}

std::optional<std::int64_t> StoreTable::number_of(const StoreId& store) {
  refresh();
  const auto at = std::ranges::find(stores_, store, &Store::id);
  if (at == stores_.end()) return std::nullopt;
  return at->number;
}

Result<StoreTable::Claim> StoreTable::claim(const StoreId& store, const StoreKey& key) {
  refresh();
  const auto named = std::ranges::find(stores_, store, &Store::id);
  const auto keyed = std::ranges::find(stores_, std::optional(key), &Store::key);
  if (named != stores_.end()) {
    const Claim claim{Claim::Kind::kKnown, named->number, store, key};
    if (named->number == 0 || named == keyed) return claim;
    if (named->key || keyed != stores_.end()) {
      return Error{ErrorCode::kDenied, named->key ? "the name belongs to another master"
                                                  : "the key belongs to another master"};
    }
    return Claim{Claim::Kind::kFirstKey, named->number, store, key};
  }
  if (keyed != stores_.end()) return Claim{Claim::Kind::kRenames, keyed->number, store, key};
  std::int64_t next = 1;
  while (std::ranges::find(stores_, next, &Store::number) != stores_.end()) ++next;
  if (next > kStoresMax) {
    return Error{ErrorCode::kLimit, database_->path() + ": already knows " +
                                        std::to_string(kStoresMax) +
                                        " masters, see `shingled stores`"};
  }
  return Claim{Claim::Kind::kNew, next, store, key};
}

Status StoreTable::name_self() {
  if (self()) return {};
  if (Status named = database_->execute(
          "INSERT INTO stores (number, id, era, position) VALUES (0, randomblob(16), 0, 0)");
      !named) {
    return named;
  }
  stale_ = true;
  return {};
}

Status StoreTable::write(const char* text, const Claim& claim) {
  auto statement = database_->prepare(text);
  if (!statement) return statement.error();
  const bool of_key = std::string_view(text).find("store_keys") != std::string_view::npos;
  return statement->bind(1, of_key ? BytesView(claim.key) : BytesView(claim.id))
      .bind(2, claim.number)
      .run();
}

Status StoreTable::save(const Claim& claim, const std::optional<JournalPosition>& position) {
  Status done;
  if (claim.kind == Claim::Kind::kNew) {
    done = write("INSERT INTO stores (id, number, era, position) VALUES (?, ?, 0, 0)", claim);
  } else if (claim.kind == Claim::Kind::kRenames) {
    done = write("UPDATE stores SET id = ?, era = 0, position = 0 WHERE number = ?", claim);
  }
  if (!done) return done;
  if (claim.kind != Claim::Kind::kKnown) {
    stale_ = true;
    done = write("INSERT OR REPLACE INTO store_keys (key, store) VALUES (?, ?)", claim);
    if (!done) return done;
  }
  if (!position) return {};
  return update_.bind(1, static_cast<std::int64_t>(position->era))
      .bind(2, static_cast<std::int64_t>(position->number))
      .bind(3, claim.number)
      .run();
}

Status StoreTable::forget(std::int64_t number) {
  const std::string id = std::to_string(number);
  const std::string any = "SELECT EXISTS (SELECT 1 FROM parts WHERE store = " + id + ")";
  const auto parts = database_->integer(any.c_str());
  if (!parts) return parts.error();
  if (*parts != 0) return {};
  stale_ = true;
  const std::string gone =
      "DELETE FROM store_keys WHERE store = " + id + "; DELETE FROM stores WHERE number = " + id;
  return database_->execute(gone.c_str());
}

}  // namespace shingled::storage::sqlite
