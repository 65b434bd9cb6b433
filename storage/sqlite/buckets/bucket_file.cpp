#include "storage/sqlite/buckets/bucket_file.h"

#include <utility>

#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

namespace {

constexpr std::int64_t kBucketFileId = 0x73686762;  // "shgb", SQLite's application_id

Status prepare_bucket_file(Database& database) {
  const auto ours = is_file_of(database, {kBucketFileId, 0, "a file of shingled's rate limits"});
  if (!ours) return ours.error();
  if (Status wal = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"); !wal)
    return wal;
  if (*ours) return {};
  return database.execute(
      "BEGIN;"
      "CREATE TABLE buckets (key TEXT PRIMARY KEY, empty_at INTEGER NOT NULL,"
      " room INTEGER NOT NULL, unit INTEGER NOT NULL) WITHOUT ROWID;"
      "CREATE TABLE written (at INTEGER NOT NULL);"
      "INSERT INTO written VALUES (0);"
      "PRAGMA application_id = 1936222050;"
      "COMMIT;");
}
static_assert(kBucketFileId == 1936222050, "the statement must name the same number");

}  // namespace

struct BucketFile::Statements {
  Statement all;
  Statement put;
  Statement remove;
  Statement note;
  Statement find_end;
  Statement sweep;
};

Result<std::unique_ptr<BucketFile>> BucketFile::open(const std::string& path) {
  auto file = OwnedFile::open(path);
  if (!file) return file.error();
  if (Status prepared = prepare_bucket_file(*file->database); !prepared) return prepared.error();
  auto statements = prepare_all<Statements>(
      *file->database,
      {"SELECT key, empty_at, room, unit FROM buckets",
       "INSERT INTO buckets VALUES (CAST(?1 AS TEXT), ?2, ?3, ?4) ON CONFLICT (key) DO UPDATE"
       " SET empty_at = excluded.empty_at, room = excluded.room, unit = excluded.unit",
       "DELETE FROM buckets WHERE key = CAST(?1 AS TEXT)", "UPDATE written SET at = ?1",
       "SELECT key FROM buckets WHERE key > CAST(?1 AS TEXT) ORDER BY key LIMIT 1 OFFSET ?2",
       "DELETE FROM buckets WHERE key > CAST(?1 AS TEXT)"
       " AND (?2 IS NULL OR key <= CAST(?2 AS TEXT)) AND empty_at <= ?3"});
  if (!statements) return statements.error();
  return std::unique_ptr<BucketFile>(
      new BucketFile(*std::move(file), std::make_unique<Statements>(*std::move(statements))));
}

BucketFile::BucketFile(OwnedFile file, std::unique_ptr<Statements> statements)
    : file_(std::move(file)), statements_(std::move(statements)) {}

BucketFile::~BucketFile() = default;

Result<std::int64_t> BucketFile::written_at() {
  return file_.database->integer("SELECT max(at) FROM written");
}

Status BucketFile::read(const std::function<void(const BucketRow&)>& take) {
  BucketRow row;
  return for_each_row(statements_->all, [&](const Statement& stored) {
    row.key = as_text(stored.blob(0));
    row.empty_at = stored.integer(1);
    row.room = stored.integer(2);
    row.unit = stored.integer(3);
    take(row);
  });
}

Status BucketFile::write(std::span<const BucketRow> rows, std::int64_t now) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  for (const BucketRow& row : rows) {
    const BytesView key = as_bytes(row.key);
    Status done = row.empty_at > now ? statements_->put.bind(1, key)
                                           .bind(2, row.empty_at)
                                           .bind(3, row.room)
                                           .bind(4, row.unit)
                                           .run()
                                     : statements_->remove.bind(1, key).run();
    if (!done) return done;
  }
  if (Status done = statements_->note.bind(1, now).run(); !done) return done;
  return transaction->commit();
}

Status BucketFile::sweep(std::size_t most, std::int64_t now) {
  Statement& find_end = statements_->find_end;
  find_end.bind(1, as_bytes(swept_)).bind(2, static_cast<std::int64_t>(most) - 1);
  const auto there = find_end.step();
  if (!there) return there.error();
  std::string end;
  if (*there) end = as_text(find_end.blob(0));
  find_end.reset();
  statements_->sweep.bind(1, as_bytes(swept_))
      .bind(2, *there ? std::optional(as_bytes(end)) : std::nullopt)
      .bind(3, now);
  Status done = statements_->sweep.run();
  if (done) swept_ = end;
  return done;
}

Result<std::size_t> BucketFile::size() {
  const auto count = file_.database->integer("SELECT count(*) FROM buckets");
  if (!count) return count.error();
  return static_cast<std::size_t>(*count);
}

Status BucketFile::clear() { return file_.database->execute("DELETE FROM buckets"); }

}  // namespace shingled::storage::sqlite
