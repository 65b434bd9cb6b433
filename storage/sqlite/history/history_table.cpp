#include "storage/sqlite/history/history_table.h"

#include <algorithm>
#include <utility>

#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

namespace {

constexpr std::int64_t kHistoryFileId = 0x7368'6768;  // "shgh", SQLite's application_id
constexpr std::int64_t kHistoryVersion = 1;
constexpr int kReaderPatienceMilliseconds = 10'000;
// As many messages in one microsecond are not to be had; it only bounds the search.
constexpr int kTimesTried = 100'000;

constexpr const char* kHistoryTables =
    "PRAGMA auto_vacuum = INCREMENTAL;"
    "BEGIN;"
    "CREATE TABLE messages (time INTEGER PRIMARY KEY, queue_id TEXT NOT NULL,"
    " message INTEGER NOT NULL, sender INTEGER NOT NULL, action INTEGER NOT NULL,"
    " label INTEGER NOT NULL, details BLOB NOT NULL);"
    "CREATE INDEX messages_by_queue_id ON messages (queue_id);"
    "CREATE INDEX messages_by_message ON messages (message) WHERE message <> 0;"
    "PRAGMA application_id = 1936222056;"
    "PRAGMA user_version = 1;"
    "COMMIT;";
static_assert(kHistoryFileId == 1936222056 && kHistoryVersion == 1,
              "the script must name the same numbers");

constexpr FileIdentity kHistory{kHistoryFileId, kHistoryVersion, "a history of shingled"};

Status prepare_history(Database& database) {
  const auto ours = is_file_of(database, kHistory);
  if (!ours) return ours.error();
  if (!*ours) {
    if (Status made = database.execute(kHistoryTables); !made) return made;
  }
  return database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}

HistoryReader::View view_of(const Statement& row) {
  return {.time = row.integer(0),
          .queue_id = row.blob(1),
          .sender = static_cast<std::uint64_t>(row.integer(2)),
          .action = static_cast<std::uint8_t>(row.integer(3)),
          .label = static_cast<std::uint8_t>(row.integer(4)),
          .details = row.blob(5)};
}

Status give_rows(Statement& statement, const HistoryReader::Take& take) {
  for (;;) {
    const auto more = statement.step();
    if (!more) return more.error();
    if (!*more || !take(view_of(statement))) break;
  }
  statement.reset();
  return {};
}

}  // namespace

struct HistoryTable::Statements {
  Statement insert;
  Statement label;
  Statement remove_before;
  Statement remove_oldest;
};

Result<std::unique_ptr<HistoryTable>> HistoryTable::open(const std::string& path) {
  auto file = OwnedFile::open(path);
  if (!file) return file.error();
  if (Status prepared = prepare_history(*file->database); !prepared) return prepared.error();
  auto statements = prepare_all<Statements>(
      *file->database,
      {"INSERT INTO messages VALUES (?1, CAST(?2 AS TEXT), ?3, ?4, ?5, ?6, ?7)"
       " ON CONFLICT (time) DO NOTHING",
       // The index of messages has the time, too, so it finds the newest ones.
       "UPDATE messages SET label = ?2 WHERE label <> ?2 AND time IN (SELECT time FROM messages"
       " WHERE message = ?1 AND message <> 0 ORDER BY time DESC LIMIT ?3)",
       "DELETE FROM messages WHERE time IN"
       " (SELECT time FROM messages WHERE time < ?1 ORDER BY time LIMIT ?2)",
       "DELETE FROM messages WHERE time IN (SELECT time FROM messages ORDER BY time LIMIT ?1)"});
  if (!statements) return statements.error();
  return std::unique_ptr<HistoryTable>(
      new HistoryTable(*std::move(file), std::make_unique<Statements>(*std::move(statements))));
}

HistoryTable::HistoryTable(OwnedFile file, std::unique_ptr<Statements> statements)
    : file_(std::move(file)), statements_(std::move(statements)) {}

HistoryTable::~HistoryTable() = default;

Status HistoryTable::insert(const HistoryRow& row) {
  statements_->insert.bind(2, as_bytes(row.queue_id))
      .bind(3, static_cast<std::int64_t>(row.message))
      .bind(4, static_cast<std::int64_t>(row.sender))
      .bind(5, std::int64_t{row.action})
      .bind(6, std::int64_t{row.label})
      .bind(7, BytesView(row.details));
  for (int tried = 0; tried < kTimesTried; ++tried) {
    if (Status done = statements_->insert.bind(1, row.time + tried).run(); !done) return done;
    if (file_.database->changed_rows() > 0) return {};
  }
  return Error{ErrorCode::kInternal, file_.database->path() + ": no free time for a message"};
}

Result<std::uint64_t> HistoryTable::write(std::span<const HistoryRow> rows,
                                          std::span<const HistoryLabel> labels) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  for (const HistoryRow& row : rows) {
    if (Status done = insert(row); !done) return done.error();
  }
  std::uint64_t labelled = 0;
  for (const HistoryLabel& label : labels) {
    const Status done = statements_->label.bind(1, static_cast<std::int64_t>(label.message))
                            .bind(2, std::int64_t{label.label})
                            .bind(3, static_cast<std::int64_t>(kLabelledMax))
                            .run();
    if (!done) return done.error();
    labelled += static_cast<std::uint64_t>(file_.database->changed_rows());
  }
  if (Status done = transaction->commit(); !done) return done.error();
  return labelled;
}

Result<HistoryTable::Trimmed> HistoryTable::trim(std::int64_t time, std::uint64_t bytes_max,
                                                 std::size_t most) {
  constexpr std::size_t kSlice = 500;  // so that not much more goes than must
  Trimmed out;
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  for (;;) {
    const auto slice = static_cast<std::int64_t>(std::min<std::uint64_t>(most - out.rows, kSlice));
    Statement* remove = &statements_->remove_before;
    if (Status done = remove->bind(1, time).bind(2, slice).run(); !done) return done.error();
    auto removed = static_cast<std::uint64_t>(file_.database->changed_rows());
    if (removed == 0) {
      const auto used = bytes();
      if (!used) return used.error();
      if (*used <= bytes_max) break;
      remove = &statements_->remove_oldest;
      if (Status done = remove->bind(1, slice).run(); !done) return done.error();
      removed = static_cast<std::uint64_t>(file_.database->changed_rows());
      if (removed == 0) break;  // the empty tables need more
    }
    out.rows += removed;
    out.more = out.rows >= most;
    if (out.more) break;
  }
  if (Status done = transaction->commit(); !done) return done.error();
  if (out.rows > 0) {
    // Gives pages back a few at a time; a full file uses its free pages again.
    const auto free = file_.database->integer("PRAGMA freelist_count");
    const auto pages = file_.database->integer("PRAGMA page_count");
    if (free && pages && *free > *pages / 4) {
      if (Status done = file_.database->execute("PRAGMA incremental_vacuum(2000)"); !done)
        return done.error();
    }
  }
  return out;
}

Result<std::int64_t> HistoryTable::newest() {
  return file_.database->integer("SELECT coalesce(max(time), 0) FROM messages");
}

Result<std::uint64_t> HistoryTable::count() {
  const auto rows = file_.database->integer("SELECT count(*) FROM messages");
  if (!rows) return rows.error();
  return static_cast<std::uint64_t>(*rows);
}

Result<std::uint64_t> HistoryTable::bytes() {
  const auto pages = file_.database->integer("PRAGMA page_count");
  if (!pages) return pages.error();
  const auto free = file_.database->integer("PRAGMA freelist_count");
  if (!free) return free.error();
  const auto page = file_.database->integer("PRAGMA page_size");
  if (!page) return page.error();
  return static_cast<std::uint64_t>((*pages - *free) * *page);
}

struct HistoryReader::Statements {
  Statement read;
  Statement read_newest_first;
  Statement find;
  Statement first;
  Statement last;
};

Result<std::unique_ptr<HistoryReader>> HistoryReader::open(const std::string& path) {
  auto database = Database::open(path, Database::Access::kReadOnly);
  if (!database) return database.error();
  (*database)->set_busy_timeout(kReaderPatienceMilliseconds);
  const auto ours = is_file_of(**database, kHistory);
  if (!ours) return ours.error();
  if (!*ours) return Error{ErrorCode::kCorrupt, path + ": empty, not yet a history"};
  const std::string columns =
      "SELECT time, queue_id, sender, action, label, details FROM messages WHERE ";
  auto statements = prepare_all<Statements>(
      **database, {columns + "time >= ?1 AND time < ?2 ORDER BY time",
                   columns + "time >= ?1 AND time < ?2 ORDER BY time DESC",
                   columns + "queue_id = CAST(?1 AS TEXT) ORDER BY time DESC",
                   "SELECT time FROM messages ORDER BY time LIMIT 1",
                   "SELECT time FROM messages ORDER BY time DESC LIMIT 1"});
  if (!statements) return statements.error();
  return std::unique_ptr<HistoryReader>(new HistoryReader(
      *std::move(database), std::make_unique<Statements>(*std::move(statements))));
}

HistoryReader::HistoryReader(std::unique_ptr<Database> database,
                             std::unique_ptr<Statements> statements)
    : database_(std::move(database)), statements_(std::move(statements)) {}

HistoryReader::~HistoryReader() = default;

Status HistoryReader::read(const Span& span, const Take& take) {
  return give_rows(statements_->read.bind(1, span.since).bind(2, span.until), take);
}

Status HistoryReader::read_newest_first(const Span& span, const Take& take) {
  return give_rows(statements_->read_newest_first.bind(1, span.since).bind(2, span.until), take);
}

Status HistoryReader::find(std::string_view queue_id, const Take& take) {
  return give_rows(statements_->find.bind(1, as_bytes(queue_id)), take);
}

Result<std::optional<HistoryReader::Ends>> HistoryReader::ends() {
  const auto time_of = [](Statement& statement) -> Result<std::optional<std::int64_t>> {
    const auto more = statement.step();
    if (!more) return more.error();
    std::optional<std::int64_t> time;
    if (*more) time = statement.integer(0);
    statement.reset();
    return time;
  };
  const auto first = time_of(statements_->first);
  if (!first) return first.error();
  const auto last = time_of(statements_->last);
  if (!last) return last.error();
  std::optional<Ends> ends;
  if (*first && *last) ends = Ends{**first, **last};
  return ends;
}

}  // namespace shingled::storage::sqlite
