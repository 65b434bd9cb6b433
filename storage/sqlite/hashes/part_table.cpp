#include "storage/sqlite/hashes/part_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "storage/sqlite/base/database.h"
#include "storage/sqlite/base/shingle_set.h"

namespace shingled::storage::sqlite {
namespace {

constexpr std::size_t kFlagBytes = 8;

Error bad_part(const Database& database, std::int64_t digest_id, const char* what) {
  return {ErrorCode::kCorrupt,
          database.path() + ": parts of digests row " + std::to_string(digest_id) + ": " + what};
}

}  // namespace

Result<StoredPart> read_part(const Database& database, const Statement& row, int column,
                             std::int64_t digest_id, const std::optional<Shingles>& shingles) {
  StoredPart stored;
  stored.store = row.integer(column);
  const BytesView flags = row.blob(column + 1);
  if (flags.empty() || flags.size() % kFlagBytes != 0 || flags.size() / kFlagBytes > kFlagsMax) {
    return bad_part(database, digest_id, "not a valid list of flags");
  }
  ByteReader reader(flags);
  while (reader.left() > 0) {
    const std::uint32_t flag = reader.u32();
    stored.part.flags.add({flag, reader.i32()});
  }
  stored.part.updated = static_cast<std::uint32_t>(row.integer(column + 2));
  stored.part.created = static_cast<std::uint32_t>(row.integer(column + 3));
  stored.part.source = static_cast<std::uint64_t>(row.integer(column + 4));
  const BytesView set = row.blob(column + 5);
  if (row.is_null(column + 5)) {
    stored.part.shingles = shingles;
  } else if (set.size() == kShingleSetBytes) {
    stored.part.shingles = decode_shingles(set);
  } else if (!set.empty()) {
    return bad_part(database, digest_id, "shingle_set is not 256 bytes");
  }
  stored.mark = static_cast<std::uint32_t>(row.integer(column + 6));
  return stored;
}

Result<PartTable> PartTable::open(Database& database) {
  const auto any = database.integer("SELECT EXISTS (SELECT 1 FROM parts)");
  if (!any) return any.error();
  auto statements = prepare_all<Statements>(
      database,
      {"SELECT store, flags, updated, created, source, shingle_set, mark FROM parts "
       "WHERE digest_id = ? ORDER BY store",
       "SELECT digest_id, updated FROM parts WHERE digest_id > ? ORDER BY digest_id LIMIT ?",
       "INSERT OR REPLACE INTO parts (digest_id, store, flags, updated, created, source, "
       "shingle_set, mark) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
       "DELETE FROM parts WHERE digest_id = ?"});
  if (!statements) return statements.error();
  return PartTable(database, *any != 0, *std::move(statements));
}

Result<PartTable::Parts> PartTable::of(std::int64_t digest_id,
                                       const std::optional<Shingles>& shingles) {
  Parts all;
  Status read = for_each_row(statements_.select.bind(1, digest_id), [&](const Statement& row) {
    auto part = read_part(*database_, row, 0, digest_id, shingles);
    if (part) {
      all.parts.push_back(*std::move(part));
    } else if (!all.damage) {
      all.damage = part.error();
    }
  });
  if (!read) return read.error();
  return all;
}

Result<PartTable::Walk> PartTable::updated_until(std::uint32_t time, std::int64_t after,
                                                 std::int64_t most) {
  Walk walk;
  std::int64_t looks = 0;
  std::int64_t last = after;
  Statement& rows = statements_.walk.bind(1, after).bind(2, most);
  Status read = for_each_row(rows, [&](const Statement& row) {
    ++looks;
    last = row.integer(0);
    const bool told = !walk.digest_ids.empty() && walk.digest_ids.back() == last;
    if (row.integer(1) <= std::int64_t{time} && !told) walk.digest_ids.push_back(last);
  });
  if (!read) return read.error();
  // The last digest may have more rows beyond the limit, so the next call looks at it again.
  if (looks == most) walk.next = last - 1 > after ? last - 1 : last;
  return walk;
}

Status PartTable::put(std::int64_t digest_id, const StoredPart& stored,
                      const std::optional<Shingles>& shingles) {
  any_ = true;
  std::array<std::uint8_t, kFlagsMax * kFlagBytes> flags{};
  ByteWriter writer(flags);
  for (const FlagValue& one : stored.part.flags.all()) {
    writer.u32(one.flag);
    writer.i32(one.value);
  }
  ShingleSet set{};
  std::optional<BytesView> set_view;  // NULL: the same as those of the digest's row
  if (stored.part.shingles != shingles) {
    if (stored.part.shingles) set = encode_shingles(*stored.part.shingles);
    set_view = stored.part.shingles ? BytesView(set) : BytesView(set).first(0);
  }
  return statements_.insert.bind(1, digest_id)
      .bind(2, stored.store)
      .bind(3, BytesView(flags).first(writer.written()))
      .bind(4, std::int64_t{stored.part.updated})
      .bind(5, std::int64_t{stored.part.created})
      .bind(6, static_cast<std::int64_t>(stored.part.source))
      .bind(7, set_view)
      .bind(8, std::int64_t{stored.mark})
      .run();
}

Status PartTable::remove(std::int64_t digest_id) {
  return statements_.remove.bind(1, digest_id).run();
}

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
