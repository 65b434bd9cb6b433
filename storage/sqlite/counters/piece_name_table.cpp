#include "storage/sqlite/counters/piece_name_table.h"

#include <utility>

#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

namespace {

constexpr std::int64_t kNameFileId = 0x7368'676e;  // "shgn", SQLite's application_id

Status prepare_names(Database& database) {
  const auto ours = is_file_of(database, {kNameFileId, 0, "a file of names of pieces"});
  if (!ours) return ours.error();
  if (Status wal = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"); !wal)
    return wal;
  if (*ours) return {};
  return database.execute(
      "BEGIN;"
      "CREATE TABLE names (type INTEGER, shingle INTEGER, text TEXT NOT NULL,"
      " seen INTEGER NOT NULL, PRIMARY KEY (type, shingle)) WITHOUT ROWID;"
      "CREATE INDEX names_seen ON names (seen);"
      "PRAGMA application_id = 1936222062;"
      "COMMIT;");
}
static_assert(kNameFileId == 1936222062, "the statement must name the same number");

}  // namespace

struct PieceNameTable::Statements {
  Statement put;
  Statement find;
  Statement remove_oldest;
};

Result<std::unique_ptr<PieceNameTable>> PieceNameTable::open(const std::string& path) {
  auto file = OwnedFile::open(path);
  if (!file) return file.error();
  if (Status prepared = prepare_names(*file->database); !prepared) return prepared.error();
  auto statements = prepare_all<Statements>(
      *file->database, {"INSERT INTO names VALUES (?1, ?2, CAST(?3 AS TEXT), ?4)"
                        " ON CONFLICT (type, shingle) DO UPDATE SET text = excluded.text,"
                        " seen = max(seen, excluded.seen)",
                        "SELECT text FROM names WHERE type = ?1 AND shingle = ?2",
                        "DELETE FROM names WHERE (type, shingle) IN"
                        " (SELECT type, shingle FROM names ORDER BY seen LIMIT ?1)"});
  if (!statements) return statements.error();
  const auto size = file->database->integer("SELECT count(*) FROM names");
  if (!size) return size.error();
  return std::unique_ptr<PieceNameTable>(
      new PieceNameTable(*std::move(file), std::make_unique<Statements>(*std::move(statements)),
                         static_cast<std::size_t>(*size)));
}

PieceNameTable::PieceNameTable(OwnedFile file, std::unique_ptr<Statements> statements,
                               std::size_t size)
    : file_(std::move(file)), statements_(std::move(statements)), size_(size) {}

PieceNameTable::~PieceNameTable() = default;

Status PieceNameTable::write(std::span<const PieceNameRow> rows, std::int64_t now,
                             std::size_t most) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  for (const PieceNameRow& row : rows)
    if (Status done = statements_->put.bind(1, std::int64_t{row.type})
                          .bind(2, static_cast<std::int64_t>(row.shingle))
                          .bind(3, as_bytes(row.text))
                          .bind(4, now)
                          .run();
        !done)
      return done;
  const auto counted = file_.database->integer("SELECT count(*) FROM names");
  if (!counted) return counted.error();
  auto left = static_cast<std::size_t>(*counted);
  if (left > most) {
    const auto excess = static_cast<std::int64_t>(left - most);
    if (Status done = statements_->remove_oldest.bind(1, excess).run(); !done) return done;
    left = most;
  }
  Status done = transaction->commit();
  if (done) size_ = left;
  return done;
}

Result<std::optional<std::string>> PieceNameTable::find(std::uint8_t type, std::uint64_t shingle) {
  statements_->find.bind(1, std::int64_t{type}).bind(2, static_cast<std::int64_t>(shingle));
  std::optional<std::string> found;
  Status done =
      for_each_row(statements_->find, [&](const Statement& row) { found = as_text(row.blob(0)); });
  if (!done) return done.error();
  return found;
}

}  // namespace shingled::storage::sqlite
