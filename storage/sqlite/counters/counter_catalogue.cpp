#include "storage/sqlite/counters/counter_catalogue.h"

#include <utility>

#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

namespace {

constexpr std::int64_t kCatalogueFileId = 0x73686763;  // "shgc", SQLite's application_id
constexpr std::int64_t kCatalogueVersion = 1;

/// A catalogue of an earlier version gets what it lacks.
Status update_catalogue(Database& database) {
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return version.error();
  if (*version == kCatalogueVersion) return {};
  return database.execute(
      "BEGIN; ALTER TABLE state ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;"
      "PRAGMA user_version = 1; COMMIT;");
}

/// Tables that were added later. A program of before passes over them, so the version stays.
Status add_tables(Database& database) {
  return database.execute(
      "CREATE TABLE IF NOT EXISTS slots (id INTEGER PRIMARY KEY, slot_first INTEGER NOT NULL,"
      " slot_last INTEGER NOT NULL);"
      "CREATE TABLE IF NOT EXISTS gaps (id INTEGER NOT NULL, shingle_first INTEGER NOT NULL,"
      " shingle_last INTEGER NOT NULL, day_first INTEGER NOT NULL, day_last INTEGER NOT NULL,"
      " slot_first INTEGER NOT NULL, slot_last INTEGER NOT NULL);"
      "CREATE TABLE IF NOT EXISTS doubts (shingle INTEGER, tag INTEGER, is_day INTEGER,"
      " number INTEGER, PRIMARY KEY (shingle, tag, is_day, number)) WITHOUT ROWID;"
      "CREATE TABLE IF NOT EXISTS site (mark INTEGER NOT NULL);");
}

Status prepare_catalogue(Database& database) {
  const auto ours =
      is_file_of(database, {kCatalogueFileId, kCatalogueVersion, "a catalogue of counters"});
  if (!ours) return ours.error();
  if (Status wal = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); !wal)
    return wal;
  if (*ours) return update_catalogue(database);
  return database.execute(
      "BEGIN;"
      "CREATE TABLE files (id INTEGER PRIMARY KEY, rows INTEGER NOT NULL,"
      " bytes INTEGER NOT NULL, day_first INTEGER NOT NULL, day_last INTEGER NOT NULL);"
      "CREATE TABLE forgotten (shingle INTEGER, tag INTEGER, last INTEGER NOT NULL,"
      " PRIMARY KEY (shingle, tag)) WITHOUT ROWID;"
      "CREATE INDEX forgotten_last ON forgotten (last);"
      "CREATE TABLE state (first_log INTEGER NOT NULL, wall INTEGER NOT NULL,"
      " doubted_until INTEGER NOT NULL, changes INTEGER NOT NULL);"
      "INSERT INTO state VALUES (0, 0, 0, 0);"
      "PRAGMA application_id = 1936222051; PRAGMA user_version = 1;"
      "COMMIT;");
}
static_assert(kCatalogueFileId == 1936222051 && kCatalogueVersion == 1,
              "the statements must name the same numbers");

/// A row of a table that ends with the days and slots of its entries.
template <typename Row>
Row ranged_row(const Statement& row) {
  return {row.integer(0),
          static_cast<std::uint64_t>(row.integer(1)),
          static_cast<std::uint64_t>(row.integer(2)),
          static_cast<std::uint32_t>(row.integer(3)),
          static_cast<std::uint32_t>(row.integer(4)),
          static_cast<std::uint32_t>(row.integer(5)),
          static_cast<std::uint32_t>(row.integer(6))};
}

}  // namespace

struct CounterCatalogue::Statements {
  Statement all;
  Statement put;
  Statement remove;
  Statement set_log;
  Statement set_time;
  Statement time;
  Statement all_forgotten;
  Statement forget;
  Statement drop_forgotten;
  Statement put_slots;
  Statement remove_slots;
  Statement all_gaps;
  Statement put_gap;
  Statement drop_gaps;
  Statement all_doubts;
  Statement put_doubt;
  Statement drop_doubts;
  Statement mark;
  Statement forget_mark;
  Statement put_mark;
};

Result<std::unique_ptr<CounterCatalogue>> CounterCatalogue::open(const std::string& path) {
  auto file = OwnedFile::open(path);
  if (!file) return file.error();
  if (Status prepared = prepare_catalogue(*file->database); !prepared) return prepared.error();
  if (Status added = add_tables(*file->database); !added) return added.error();
  auto statements = prepare_all<Statements>(
      *file->database,
      {// Of a file of an earlier version only the days are known.
       "SELECT id, rows, bytes, day_first, day_last, coalesce(slot_first, day_first * 144),"
       " coalesce(slot_last, day_last * 144 + 143) FROM files LEFT JOIN slots USING (id)"
       " ORDER BY id",
       "INSERT INTO files VALUES (?1, ?2, ?3, ?4, ?5)", "DELETE FROM files WHERE id = ?1",
       // SQLite neither writes nor syncs anything for rows that stay as they are.
       "UPDATE state SET first_log = max(first_log, ?1), changes = changes + 1",
       "UPDATE state SET wall = ?1, doubted_until = ?2", "SELECT wall, doubted_until FROM state",
       "SELECT shingle, tag, last FROM forgotten",
       "INSERT INTO forgotten VALUES (?1, ?2, ?3)"
       " ON CONFLICT (shingle, tag) DO UPDATE SET last = max(last, excluded.last)",
       "DELETE FROM forgotten WHERE last < min((SELECT max(first_log) FROM state),"
       " (SELECT coalesce(min(id), 9223372036854775807) FROM"
       " (SELECT id FROM files UNION ALL SELECT id FROM gaps)))",
       "INSERT OR REPLACE INTO slots VALUES (?1, ?2, ?3)", "DELETE FROM slots WHERE id = ?1",
       "SELECT id, shingle_first, shingle_last, day_first, day_last, slot_first, slot_last"
       " FROM gaps ORDER BY id, rowid",
       "INSERT INTO gaps VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
       "DELETE FROM gaps WHERE day_last < ?1", "SELECT shingle, tag, is_day, number FROM doubts",
       "INSERT OR IGNORE INTO doubts VALUES (?1, ?2, ?3, ?4)",
       "DELETE FROM doubts WHERE CASE WHEN is_day THEN number ELSE number / 144 END < ?1",
       "SELECT mark FROM site", "DELETE FROM site", "INSERT INTO site VALUES (?1)"});
  if (!statements) return statements.error();
  return std::unique_ptr<CounterCatalogue>(
      new CounterCatalogue(*std::move(file), std::make_unique<Statements>(*std::move(statements))));
}

CounterCatalogue::CounterCatalogue(OwnedFile file, std::unique_ptr<Statements> statements)
    : file_(std::move(file)), statements_(std::move(statements)) {}

CounterCatalogue::~CounterCatalogue() = default;

Result<std::vector<CataloguedFile>> CounterCatalogue::files() {
  std::vector<CataloguedFile> out;
  Status done = for_each_row(statements_->all, [&](const Statement& row) {
    out.push_back(ranged_row<CataloguedFile>(row));
  });
  if (!done) return done.error();
  return out;
}

Result<std::vector<ForgottenRow>> CounterCatalogue::forgotten() {
  std::vector<ForgottenRow> out;
  Status done = for_each_row(statements_->all_forgotten, [&](const Statement& row) {
    out.push_back({static_cast<std::uint64_t>(row.integer(0)),
                   static_cast<std::uint8_t>(row.integer(1)), row.integer(2)});
  });
  if (!done) return done.error();
  return out;
}

Result<std::vector<GapRow>> CounterCatalogue::gaps() {
  std::vector<GapRow> out;
  Status done = for_each_row(statements_->all_gaps,
                             [&](const Statement& row) { out.push_back(ranged_row<GapRow>(row)); });
  if (!done) return done.error();
  return out;
}

Result<std::vector<DoubtRow>> CounterCatalogue::doubts() {
  std::vector<DoubtRow> out;
  Status done = for_each_row(statements_->all_doubts, [&](const Statement& row) {
    out.push_back({static_cast<std::uint64_t>(row.integer(0)),
                   static_cast<std::uint8_t>(row.integer(1)), row.integer(2) != 0,
                   static_cast<std::uint32_t>(row.integer(3))});
  });
  if (!done) return done.error();
  return out;
}

Result<std::optional<std::uint64_t>> CounterCatalogue::key_mark() {
  std::optional<std::uint64_t> mark;
  Status done = for_each_row(statements_->mark, [&](const Statement& row) {
    mark = static_cast<std::uint64_t>(row.integer(0));
  });
  if (!done) return done.error();
  return mark;
}

std::optional<std::uint64_t> CounterCatalogue::read_key_mark(const std::string& path) {
  auto database = Database::open(path, Database::Access::kReadOnly);
  if (!database) return std::nullopt;
  auto statement = (*database)->prepare("SELECT mark FROM site");
  if (!statement) return std::nullopt;
  const auto row = statement->step();
  if (!row || !*row) return std::nullopt;
  return static_cast<std::uint64_t>(statement->integer(0));
}

Status CounterCatalogue::set_key_mark(std::uint64_t mark) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  Status done = statements_->forget_mark.run();
  if (done) done = statements_->put_mark.bind(1, static_cast<std::int64_t>(mark)).run();
  if (!done) return done;
  return transaction->commit();
}

Status CounterCatalogue::put_file(const CataloguedFile& file) {
  Status done = statements_->put.bind(1, file.id)
                    .bind(2, static_cast<std::int64_t>(file.rows))
                    .bind(3, static_cast<std::int64_t>(file.bytes))
                    .bind(4, std::int64_t{file.day_first})
                    .bind(5, std::int64_t{file.day_last})
                    .run();
  if (!done) return done;
  return statements_->put_slots.bind(1, file.id)
      .bind(2, std::int64_t{file.slot_first})
      .bind(3, std::int64_t{file.slot_last})
      .run();
}

Status CounterCatalogue::put_losses(const Change& change) {
  for (const GapRow& gap : change.gaps)
    if (Status done = statements_->put_gap.bind(1, gap.id)
                          .bind(2, static_cast<std::int64_t>(gap.shingle_first))
                          .bind(3, static_cast<std::int64_t>(gap.shingle_last))
                          .bind(4, std::int64_t{gap.day_first})
                          .bind(5, std::int64_t{gap.day_last})
                          .bind(6, std::int64_t{gap.slot_first})
                          .bind(7, std::int64_t{gap.slot_last})
                          .run();
        !done)
      return done;
  for (const DoubtRow& doubt : change.doubts)
    if (Status done = statements_->put_doubt.bind(1, static_cast<std::int64_t>(doubt.shingle))
                          .bind(2, std::int64_t{doubt.tag})
                          .bind(3, std::int64_t{doubt.is_day ? 1 : 0})
                          .bind(4, std::int64_t{doubt.number})
                          .run();
        !done)
      return done;
  if (change.lost_from == 0) return {};
  Status done = statements_->drop_gaps.bind(1, std::int64_t{change.lost_from}).run();
  if (done) done = statements_->drop_doubts.bind(1, std::int64_t{change.lost_from}).run();
  return done;
}

Result<std::uint64_t> CounterCatalogue::first_log() {
  const auto number = file_.database->integer("SELECT max(first_log) FROM state");
  if (!number) return number.error();
  return static_cast<std::uint64_t>(*number);
}

Result<bool> CounterCatalogue::is_used() {
  // One of an earlier version did not count its changes.
  const auto changes = file_.database->integer(
      "SELECT max(changes) + max(first_log) + (SELECT count(*) FROM files) FROM state");
  if (!changes) return changes.error();
  return *changes > 0;
}

Result<CatalogueTime> CounterCatalogue::time() {
  CatalogueTime time;
  Status done = for_each_row(statements_->time, [&](const Statement& row) {
    time = {row.integer(0), row.integer(1)};
  });
  if (!done) return done.error();
  return time;
}

Status CounterCatalogue::change(const Change& change) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  for (const std::int64_t id : change.removed) {
    Status done = statements_->remove.bind(1, id).run();
    if (done) done = statements_->remove_slots.bind(1, id).run();
    if (!done) return done;
  }
  for (const CataloguedFile& file : change.added)
    if (Status done = put_file(file); !done) return done;
  if (Status done = put_losses(change); !done) return done;
  for (const ForgottenRow& row : change.forgotten)
    if (Status done = statements_->forget.bind(1, static_cast<std::int64_t>(row.shingle))
                          .bind(2, std::int64_t{row.tag})
                          .bind(3, row.last)
                          .run();
        !done)
      return done;
  Status done = statements_->set_log.bind(1, static_cast<std::int64_t>(change.first_log)).run();
  if (done) done = statements_->drop_forgotten.run();
  if (!done) return done;
  return transaction->commit();
}

Status CounterCatalogue::set_time(const CatalogueTime& time) {
  return statements_->set_time.bind(1, time.wall).bind(2, time.doubted_until).run();
}

}  // namespace shingled::storage::sqlite
