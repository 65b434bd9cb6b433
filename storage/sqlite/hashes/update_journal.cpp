#include "storage/sqlite/hashes/update_journal.h"

#include <array>
#include <utility>

#include "config/base/byte_reader.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

namespace {

constexpr std::int64_t kJournalId = 0x7368676a;  // "shgj", SQLite's application_id
constexpr std::size_t kBodyBytes = 104;
constexpr std::size_t kBodyBytesMax = kBodyBytes + kShingleCount * sizeof(std::uint64_t);

// The bits of a body's first word.
constexpr std::uint8_t kIsDelete = 1;
constexpr std::uint8_t kIsWeak = 2;
constexpr std::uint8_t kHasShingles = 4;

using Body = std::array<std::uint8_t, kBodyBytesMax>;

/// Writes an update into `body` as SCHEMA.md describes it, byte by byte. Returns the used part of
/// `body`.
BytesView encode_body(const TimedUpdate& timed, Body& body) {
  const Update& update = *timed.update;
  const auto& shingles = update.fingerprint.shingles;
  ByteWriter writer(body);
  writer.u32((update.kind == Update::Kind::kDelete ? kIsDelete : 0U) |
             (update.weak ? kIsWeak : 0U) | (shingles ? kHasShingles : 0U));
  writer.u32(update.flag);
  writer.i32(update.value);
  writer.u32(timed.time);
  writer.u64(update.source);
  writer.bytes(update.name);
  writer.bytes(update.fingerprint.digest.bytes);
  if (shingles) {
    for (const std::uint64_t shingle : *shingles) writer.u64(shingle);
  }
  return BytesView(body).first(writer.written());
}

std::optional<UpdateJournal::Entry> decode_body(std::int64_t id, BytesView body) {
  ByteReader reader(body);
  UpdateJournal::Entry entry;
  Update& update = entry.update;
  entry.id = id;
  const std::uint32_t kinds = reader.u32();
  update.kind = (kinds & kIsDelete) != 0 ? Update::Kind::kDelete : Update::Kind::kAdd;
  update.weak = (kinds & kIsWeak) != 0;
  update.flag = reader.u32();
  update.value = reader.i32();
  entry.time = reader.u32();
  update.source = reader.u64();
  update.name = reader.array<std::tuple_size_v<UpdateId>>();
  update.fingerprint.digest.bytes = reader.array<kDigestBytes>();
  if ((kinds & kHasShingles) != 0) {
    for (std::uint64_t& shingle : update.fingerprint.shingles.emplace()) shingle = reader.u64();
  }
  if (!reader.done()) return std::nullopt;
  return entry;
}

/// The number of tables that are not ours. It is 0 for an empty file, and for a file with our table
/// but without the application_id: an earlier version left such a file when it was killed at its
/// first start.
constexpr const char* kOtherTables =
    "SELECT count(*) FROM sqlite_master WHERE sql <>"
    " 'CREATE TABLE updates (id INTEGER PRIMARY KEY, body BLOB NOT NULL)'";

Status prepare_file(Database& database) {
  if (Status wal = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); !wal) {
    return wal;
  }
  const auto id = database.integer("PRAGMA application_id");
  if (!id) return id.error();
  if (*id == kJournalId) return {};
  // The table and the application_id are written together: with only one of them, the next start
  // would not recognise the file.
  auto transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  const auto others = database.integer(kOtherTables);
  if (!others) return others.error();
  if (*others != 0 || *id != 0) {
    return Error{ErrorCode::kCorrupt, database.path() + ": not a journal of shingled"};
  }
  Status made = database.execute(
      "CREATE TABLE IF NOT EXISTS updates (id INTEGER PRIMARY KEY, body BLOB NOT NULL);"
      "PRAGMA application_id = 1936222058;");
  return made ? transaction->commit() : made;
}
static_assert(kJournalId == 1936222058, "the statement must name the same number");

}  // namespace

struct UpdateJournal::Statements {
  Statement insert;
  Statement select;
  Statement remove;
};

Result<std::unique_ptr<UpdateJournal>> UpdateJournal::open(const std::string& path) {
  auto file = OwnedFile::open(path);
  if (!file) return file.error();
  Database& database = *file->database;
  if (Status prepared = prepare_file(database); !prepared) return prepared.error();
  auto statements =
      prepare_all<Statements>(database, {"INSERT INTO updates (body) VALUES (?)",
                                         "SELECT id, body FROM updates ORDER BY id LIMIT ?",
                                         "DELETE FROM updates WHERE id <= ?"});
  if (!statements) return statements.error();
  const auto size = database.integer("SELECT count(*) FROM updates");
  if (!size) return size.error();
  const auto last_id = database.integer("SELECT max(id) FROM updates");
  if (!last_id) return last_id.error();
  std::unique_ptr<UpdateJournal> journal(
      new UpdateJournal(*std::move(file), std::make_unique<Statements>(*std::move(statements))));
  journal->size_ = static_cast<std::size_t>(*size);
  journal->last_id_ = *last_id;
  return journal;
}

UpdateJournal::UpdateJournal(OwnedFile file, std::unique_ptr<Statements> statements)
    : file_(std::move(file)), statements_(std::move(statements)) {}

UpdateJournal::~UpdateJournal() = default;

Status UpdateJournal::append(std::span<const TimedUpdate> updates) {
  auto transaction = Transaction::begin(*file_.database);
  if (!transaction) return transaction.error();
  Body body{};
  for (const TimedUpdate& timed : updates) {
    const BytesView bytes = encode_body(timed, body);
    if (Status done = statements_->insert.bind(1, bytes).run(); !done) return done;
  }
  if (Status done = transaction->commit(); !done) return done;
  size_ += updates.size();
  last_id_ = file_.database->last_insert_id();
  return {};
}

Result<std::vector<UpdateJournal::Entry>> UpdateJournal::first(std::size_t most) {
  std::vector<Entry> entries;
  statements_->select.bind(1, static_cast<std::int64_t>(most));
  Status read = for_each_row(statements_->select, [&](const Statement& row) -> Status {
    const std::int64_t id = row.integer(0);
    auto entry = decode_body(id, row.blob(1));
    if (!entry) {
      return Error{ErrorCode::kCorrupt, file_.database->path() + ": row " + std::to_string(id) +
                                            " is not a valid update"};
    }
    entries.push_back(*entry);
    return {};
  });
  if (!read) return read.error();
  return entries;
}

Status UpdateJournal::remove_through(std::int64_t id) {
  if (Status done = statements_->remove.bind(1, id).run(); !done) return done;
  size_ = static_cast<std::size_t>(
      last_id_ - id);  // ids have no gaps, because rows are removed only from the front
  return {};
}

}  // namespace shingled::storage::sqlite
