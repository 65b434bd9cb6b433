#include "storage/sqlite/hashes/journal.h"

#include <optional>
#include <string>
#include <utility>

#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

Result<Journal> Journal::open(Database& database) {
  const auto last = database.integer(kJournalEnd);
  if (!last) return last.error();
  auto statements = prepare_all<Statements>(
      database, {"INSERT INTO journal (number, time, digest_id, digest, store, flag, created) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?)",
                 "DELETE FROM journal WHERE number <= ?"});
  if (!statements) return statements.error();
  return Journal(database, *last, *std::move(statements));
}

Status Journal::add_era(std::int64_t first) {
  // Replaces an era without entries: no mirror's place is in it.
  return database_->execute(("INSERT OR REPLACE INTO journal_eras (first, era) VALUES (" +
                             std::to_string(first) + ", (random() & 0x7fffffffffffffff) | 1)")
                                .c_str());
}

Status Journal::begin(std::uint64_t most) {
  const auto eras = database_->integer("SELECT count(*) FROM journal_eras");
  if (!eras) return eras.error();
  // Number 0, before the first entry, is also a place of a mirror, so it needs an era.
  if (*eras == 0) {
    if (Status first = add_era(0); !first) return first;
  }
  if (Status next = add_era(last_ + 1); !next) return next;
  if (*eras > kErasMax) {
    if (Status fewer = database_->execute(
            "DELETE FROM journal_eras WHERE first = (SELECT min(first) FROM journal_eras)");
        !fewer) {
      return fewer;
    }
  }
  most_ = static_cast<std::int64_t>(most);
  return {};
}

Status Journal::forget() {
  most_ = 0;
  last_ = 0;
  return database_->execute("DELETE FROM journal; DELETE FROM journal_eras");
}

Status Journal::append(const Entry& entry, std::uint32_t now) {
  if (most_ == 0) return {};
  std::optional<BytesView> store;
  if (entry.store != nullptr) store = BytesView(*entry.store);
  return statements_.insert.bind(1, ++last_)
      .bind(2, std::int64_t{now})
      .bind(3, entry.digest_id)
      .bind(4, BytesView(entry.digest.bytes))
      .bind(5, store)
      .bind(6, std::int64_t{entry.flag})
      .bind(7, std::int64_t{entry.created})
      .run();
}

Status Journal::changed(const Digest& digest, std::int64_t digest_id, std::uint32_t now) {
  return append({digest_id, digest}, now);
}

Status Journal::asked(const Takeback& takeback, std::uint32_t now) {
  return append({kAskedEntry, takeback.digest, &takeback.owner, takeback.flag, takeback.created},
                now);
}

Status Journal::answered(const TakebackAnswer& answer, std::uint32_t now) {
  return append({kAnsweredEntry, answer.digest, &answer.asker, answer.flag}, now);
}

Status Journal::trim() {
  if (most_ == 0 || last_ <= most_) return {};
  return statements_.remove.bind(1, last_ - most_).run();
}

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
