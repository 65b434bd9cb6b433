#include "storage/sqlite/takeback_table.h"

#include <utility>

#include "storage/sqlite/statements.h"

namespace shingled::storage::sqlite {

Result<TakebackTable> TakebackTable::open(Database& database) {
  const auto any = database.integer("SELECT EXISTS (SELECT 1 FROM takebacks)");
  if (!any) return any.error();
  auto statements = prepare_all<Statements>(
      database,
      {"SELECT flag FROM takebacks WHERE digest = ? AND store = ?",
       "INSERT OR REPLACE INTO takebacks (digest, store, flag, created) VALUES (?, ?, ?, ?)",
       "DELETE FROM takebacks WHERE id <= ?",
       "DELETE FROM takebacks WHERE digest = ? AND store = ? AND flag = ?",
       "DELETE FROM takebacks WHERE store = ?"});
  if (!statements) return statements.error();
  return TakebackTable(database, *any != 0, *std::move(statements));
}

Result<std::vector<std::uint32_t>> TakebackTable::of(const Digest& digest, std::int64_t store) {
  std::vector<std::uint32_t> flags;
  Status read = for_each_row(
      statements_.select.bind(1, BytesView(digest.bytes)).bind(2, store),
      [&](const Statement& row) { flags.push_back(static_cast<std::uint32_t>(row.integer(0))); });
  if (!read) return read.error();
  return flags;
}

Status TakebackTable::add(const Takeback& takeback, std::int64_t store) {
  any_ = true;
  Status added = statements_.insert.bind(1, BytesView(takeback.digest.bytes))
                     .bind(2, store)
                     .bind(3, std::int64_t{takeback.flag})
                     .bind(4, std::int64_t{takeback.created})
                     .run();
  if (!added) return added;
  const std::int64_t last = database_->last_insert_id();
  if (last <= kTakebacksMax) return {};
  return statements_.trim.bind(1, last - kTakebacksMax).run();
}

Status TakebackTable::remove(const Digest& digest, std::int64_t store, std::uint32_t flag) {
  return statements_.remove.bind(1, BytesView(digest.bytes))
      .bind(2, store)
      .bind(3, std::int64_t{flag})
      .run();
}

Status TakebackTable::remove_all(std::int64_t store) {
  return statements_.remove_all.bind(1, store).run();
}

}  // namespace shingled::storage::sqlite
