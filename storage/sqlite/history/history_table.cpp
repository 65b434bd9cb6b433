#include "storage/sqlite/history/history_table.h"

#include <algorithm>
#include <utility>

#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

namespace {

constexpr std::int64_t kHistoryFileId = 0x7368'6768;  // "shgh", SQLite's application_id
constexpr std::int64_t kHistoryVersion = 2;
constexpr int kReaderPatienceMilliseconds = 10'000;
// As many messages in one microsecond are not to be had; it only bounds the search.
constexpr int kTimesTried = 100'000;

constexpr std::int64_t kDay = 86'400'000'000;  // of the time of a row

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

/// From version 1 to 2. Of their own, so that who reads many rows does not read what few need.
constexpr const char* kNamesAndActs =
    "BEGIN;"
    "CREATE TABLE names (time INTEGER PRIMARY KEY, sender TEXT NOT NULL,"
    " recipients TEXT NOT NULL, subject TEXT NOT NULL);"
    "CREATE TABLE acts (time INTEGER PRIMARY KEY, kept BLOB NOT NULL);"
    "CREATE TRIGGER with_message AFTER DELETE ON messages BEGIN"
    " DELETE FROM names WHERE time = OLD.time; DELETE FROM acts WHERE time = OLD.time; END;"
    "PRAGMA user_version = 2;"
    "COMMIT;";
static_assert(kHistoryFileId == 1936222056 && kHistoryVersion == 2,
              "the scripts must name the same numbers");

/// Older files of the same version lack it; a reader does without, slowly.
constexpr const char* kSenderIndex =
    "CREATE INDEX IF NOT EXISTS messages_by_sender ON messages (sender) WHERE sender <> 0";

constexpr FileIdentity kHistory{kHistoryFileId, kHistoryVersion, "a history of shingled"};

Status prepare_history(Database& database) {
  const auto ours = is_file_of(database, kHistory);
  if (!ours) return ours.error();
  if (!*ours) {
    if (Status made = database.execute(kHistoryTables); !made) return made;
  }
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return version.error();
  if (*version < kHistoryVersion) {
    if (Status added = database.execute(kNamesAndActs); !added) return added;
  }
  if (Status made = database.execute(kSenderIndex); !made) return made;
  return database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}

HistoryReader::View view_of(const Statement& row) {
  return {.time = row.integer(0),
          .queue_id = row.blob(1),
          .sender = static_cast<std::uint64_t>(row.integer(2)),
          .action = static_cast<std::uint8_t>(row.integer(3)),
          .label = static_cast<std::uint8_t>(row.integer(4)),
          .details = row.blob(5),
          .sender_name = row.blob(6),
          .recipients = row.blob(7),
          .subject = row.blob(8),
          .is_kept = row.integer(9) != 0};
}

Status give_rows(Statement& statement, const std::function<bool(const Statement&)>& take) {
  for (;;) {
    const auto more = statement.step();
    if (!more) return more.error();
    if (!*more || !take(statement)) break;
  }
  statement.reset();
  return {};
}

Status give_views(Statement& statement, const HistoryReader::Take& take) {
  return give_rows(statement, [&](const Statement& row) { return take(view_of(row)); });
}

}  // namespace

struct HistoryTable::Statements {
  Statement insert;
  Statement insert_names;
  Statement insert_kept;
  Statement label;
  Statement remove_before;
  Statement remove_kept_before;
  Statement remove_kept_of_days;
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
       "INSERT INTO names VALUES (?1, CAST(?2 AS TEXT), CAST(?3 AS TEXT), CAST(?4 AS TEXT))",
       "INSERT INTO acts VALUES (?1, ?2)",
       // The index of messages has the time, too, so it finds the newest ones.
       "UPDATE messages SET label = ?2 WHERE label <> ?2 AND time IN (SELECT time FROM messages"
       " WHERE message = ?1 AND message <> 0 ORDER BY time DESC LIMIT ?3)",
       "DELETE FROM messages WHERE time IN"
       " (SELECT time FROM messages WHERE time < ?1 ORDER BY time LIMIT ?2)",
       "DELETE FROM acts WHERE time IN"
       " (SELECT time FROM acts WHERE time < ?1 ORDER BY time LIMIT ?2)",
       "DELETE FROM acts WHERE time IN (SELECT time FROM acts WHERE time <"
       " (SELECT max(time) FROM messages) - " +
           std::to_string(kDay) + " ORDER BY time LIMIT ?1)",
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
    if (file_.database->changed_rows() > 0) return insert_more(row, row.time + tried);
  }
  return Error{ErrorCode::kInternal, file_.database->path() + ": no free time for a message"};
}

Status HistoryTable::insert_more(const HistoryRow& row, std::int64_t time) {
  if (!row.sender_name.empty() || !row.recipients.empty() || !row.subject.empty()) {
    Status done = statements_->insert_names.bind(1, time)
                      .bind(2, as_bytes(row.sender_name))
                      .bind(3, as_bytes(row.recipients))
                      .bind(4, as_bytes(row.subject))
                      .run();
    if (!done) return done;
  }
  if (row.kept.empty()) return {};
  return statements_->insert_kept.bind(1, time).bind(2, BytesView(row.kept)).run();
}

Result<std::uint64_t> HistoryTable::label(std::span<const HistoryLabel> labels) {
  std::uint64_t labelled = 0;
  for (const HistoryLabel& label : labels) {
    const Status done = statements_->label.bind(1, static_cast<std::int64_t>(label.message))
                            .bind(2, std::int64_t{label.label})
                            .bind(3, static_cast<std::int64_t>(kLabelledMax))
                            .run();
    if (!done) return done.error();
    labelled += static_cast<std::uint64_t>(file_.database->changed_rows());
  }
  return labelled;
}

Result<std::uint64_t> HistoryTable::write(std::span<const HistoryRow> rows,
                                          std::span<const HistoryLabel> labels,
                                          std::span<const HistoryLabel> again) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  for (const HistoryRow& row : rows) {
    if (Status done = insert(row); !done) return done.error();
  }
  std::uint64_t labelled = 0;
  for (const auto& some : {again, labels}) {
    const auto changed = label(some);
    if (!changed) return changed.error();
    labelled += *changed;
  }
  if (Status done = transaction->commit(); !done) return done.error();
  return labelled;
}

Result<std::size_t> HistoryTable::remove_slice(const Bounds& bounds, std::size_t most,
                                               Trimmed& out) {
  const auto slice = static_cast<std::int64_t>(most);
  const auto run = [&](Statement& remove) -> Result<std::size_t> {
    if (Status done = remove.run(); !done) return done.error();
    return static_cast<std::size_t>(file_.database->changed_rows());
  };
  auto rows = run(statements_->remove_before.bind(1, bounds.oldest).bind(2, slice));
  if (rows && *rows == 0) {
    auto kept = run(statements_->remove_kept_before.bind(1, bounds.oldest_kept).bind(2, slice));
    if (!kept || *kept > 0) return kept;
    const auto used = bytes();
    if (!used) return used.error();
    if (*used <= bounds.bytes_max) return std::size_t{0};
    kept = run(statements_->remove_kept_of_days.bind(1, slice));
    if (!kept || *kept > 0) return kept;
    rows = run(statements_->remove_oldest.bind(1, slice));
  }
  if (rows) out.rows += *rows;
  return rows;
}

Result<HistoryTable::Trimmed> HistoryTable::trim(const Bounds& bounds) {
  constexpr std::size_t kSlice = 500;  // so that not much more goes than must
  Trimmed out;
  std::size_t all = 0;
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  while (!out.more) {
    const auto removed = remove_slice(bounds, std::min(bounds.most - all, kSlice), out);
    if (!removed) return removed.error();
    if (*removed == 0) break;  // nothing is too much, or the empty tables need more
    all += *removed;
    out.more = all >= bounds.most;
  }
  if (Status done = transaction->commit(); !done) return done.error();
  if (all > 0) {
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
  Statement read_back;
  Statement read_newest_first;
  Statement names;
  Statement of_sender;
  Statement find;
  Statement kept;
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
  const auto version = (*database)->integer("PRAGMA user_version");
  if (!version) return version.error();
  const bool old = *version < kHistoryVersion;
  const std::string row = "SELECT m.time, queue_id, m.sender, action, label, details, ";
  const std::string bare = row + "NULL, NULL, NULL, 0 FROM messages m WHERE ";
  const std::string whole =
      old ? bare
          : row +
                "n.sender, recipients, subject, a.time IS NOT NULL FROM messages m"
                " LEFT JOIN names n ON n.time = m.time LEFT JOIN acts a ON a.time = m.time WHERE ";
  auto statements = prepare_all<Statements>(
      **database, {bare + "m.time >= ?1 AND m.time < ?2 ORDER BY m.time",
                   bare + "m.time >= ?1 AND m.time < ?2 ORDER BY m.time DESC",
                   whole + "m.time >= ?1 AND m.time < ?2 ORDER BY m.time DESC",
                   old ? "SELECT NULL, NULL, NULL, NULL WHERE ?1 > ?2 AND ?1 < ?2"
                       : "SELECT time, sender, recipients, subject FROM names WHERE time >= ?1 AND"
                         " time < ?2 ORDER BY time DESC",
                   "SELECT time FROM messages WHERE time >= ?1 AND time < ?2 AND sender = ?3 AND"
                   " sender <> 0 ORDER BY time DESC",
                   whole + "queue_id = CAST(?1 AS TEXT) ORDER BY m.time DESC",
                   old ? "SELECT NULL WHERE ?1 IS NULL" : "SELECT kept FROM acts WHERE time = ?1",
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
  return give_views(statements_->read.bind(1, span.since).bind(2, span.until), take);
}

Status HistoryReader::read_back(const Span& span, const Take& take) {
  return give_views(statements_->read_back.bind(1, span.since).bind(2, span.until), take);
}

Status HistoryReader::read_newest_first(const Span& span, const Take& take) {
  return give_views(statements_->read_newest_first.bind(1, span.since).bind(2, span.until), take);
}

Status HistoryReader::read_names(const Span& span,
                                 const std::function<bool(std::int64_t time, const Names&)>& take) {
  return give_rows(statements_->names.bind(1, span.since).bind(2, span.until),
                   [&](const Statement& row) {
                     return take(row.integer(0), {row.blob(1), row.blob(2), row.blob(3)});
                   });
}

Status HistoryReader::read_sender(const Span& span, std::uint64_t sender,
                                  const std::function<bool(std::int64_t time)>& take) {
  Statement& rows = statements_->of_sender.bind(1, span.since)
                        .bind(2, span.until)
                        .bind(3, static_cast<std::int64_t>(sender));
  return give_rows(rows, [&](const Statement& row) { return take(row.integer(0)); });
}

Status HistoryReader::find(std::string_view queue_id, const Take& take) {
  return give_views(statements_->find.bind(1, as_bytes(queue_id)), take);
}

Result<Bytes> HistoryReader::kept(std::int64_t time) {
  const auto more = statements_->kept.bind(1, time).step();
  if (!more) return more.error();
  Bytes out;
  if (*more) {
    const BytesView kept = statements_->kept.blob(0);
    out.assign(kept.begin(), kept.end());
  }
  statements_->kept.reset();
  return out;
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
