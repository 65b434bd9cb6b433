#include "storage/sqlite/takeback_table.h"

#include <utility>

namespace shingled::storage::sqlite {

Result<TakebackTable> TakebackTable::open(Database& database) {
  const auto any = database.integer("SELECT EXISTS (SELECT 1 FROM takebacks)");
  if (!any) return any.error();
  auto select = database.prepare("SELECT flag FROM takebacks WHERE digest = ? AND store = ?");
  if (!select) return select.error();
  auto insert = database.prepare(
      "INSERT OR REPLACE INTO takebacks (digest, store, flag, created) VALUES (?, ?, ?, ?)");
  if (!insert) return insert.error();
  auto trim = database.prepare("DELETE FROM takebacks WHERE id <= ?");
  if (!trim) return trim.error();
  auto remove =
      database.prepare("DELETE FROM takebacks WHERE digest = ? AND store = ? AND flag = ?");
  if (!remove) return remove.error();
  auto remove_all = database.prepare("DELETE FROM takebacks WHERE store = ?");
  if (!remove_all) return remove_all.error();
  return TakebackTable(database, *any != 0, *std::move(select), *std::move(insert),
                       *std::move(trim), *std::move(remove), *std::move(remove_all));
}

Result<std::vector<std::uint32_t>> TakebackTable::of(const Digest& digest, std::int64_t store) {
  std::vector<std::uint32_t> flags;
  select_.bind(1, BytesView(digest.bytes)).bind(2, store);
  for (;;) {
    const auto more = select_.step();
    if (!more) return more.error();
    if (!*more) break;
    flags.push_back(static_cast<std::uint32_t>(select_.integer(0)));
  }
  select_.reset();
  return flags;
}

Status TakebackTable::add(const Takeback& takeback, std::int64_t store) {
  any_ = true;
  Status added = insert_.bind(1, BytesView(takeback.digest.bytes))
                     .bind(2, store)
                     .bind(3, std::int64_t{takeback.flag})
                     .bind(4, std::int64_t{takeback.created})
                     .run();
  if (!added) return added;
  const std::int64_t last = database_->last_insert_id();
  if (last <= kTakebacksMax) return {};
  return trim_.bind(1, last - kTakebacksMax).run();
}

Status TakebackTable::remove(const Digest& digest, std::int64_t store, std::uint32_t flag) {
  return remove_.bind(1, BytesView(digest.bytes)).bind(2, store).bind(3, std::int64_t{flag}).run();
}

Status TakebackTable::remove_all(std::int64_t store) { return remove_all_.bind(1, store).run(); }

}  // namespace shingled::storage::sqlite
