#include "storage/sqlite/base/database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "config/system/permission.h"
#include "storage/sqlite/base/owned_file.h"

namespace shingled::storage::sqlite {

namespace {

ErrorCode code_of(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL:
      return ErrorCode::kUnavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::kCorrupt;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return ErrorCode::kDenied;
    default:
      return ErrorCode::kInternal;
  }
}

int flags_of(Database::Access access) {
  switch (access) {
    case Database::Access::kReadOnly:
      return SQLITE_OPEN_READONLY;
    case Database::Access::kReadWrite:
      return SQLITE_OPEN_READWRITE;
    case Database::Access::kCreate:
      break;
  }
  return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
}

/// Names the missing permission for the file or for its folder. SQLite creates files of its own in
/// the folder, even for reading.
std::optional<std::string> denial_of(const std::string& path, Database::Access access) {
  const int mode = access == Database::Access::kReadOnly ? R_OK : R_OK | W_OK;
  if (auto why = missing_permission(path, mode)) return why;
  const std::size_t slash = path.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  return missing_permission(folder.empty() ? "/" : folder, W_OK | X_OK);
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), parameter, value);
  return *this;
}

Statement& Statement::bind(int parameter, std::optional<BytesView> value) {
  if (value) {
    sqlite3_bind_blob64(statement_.get(), parameter, value->data(), value->size(), SQLITE_STATIC);
  } else {
    sqlite3_bind_null(statement_.get(), parameter);
  }
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  const Error error = database_->error(code);
  reset();
  return error;
}

Status Statement::run() {
  auto row = step();
  if (!row) return row.error();
  reset();
  return {};
}

void Statement::reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

BytesView Statement::blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int count = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(count)};
}

bool Statement::copy_blob(int column, std::span<std::uint8_t> to) const {
  const BytesView bytes = blob(column);
  if (bytes.size() != to.size()) return false;
  std::ranges::copy(bytes, to.begin());
  return true;
}

std::string Statement::text(int column) const {
  const BytesView bytes = blob(column);
  return {bytes.begin(), bytes.end()};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Access access) {
  // Creates the file first, because SQLite would apply the umask to its mode. SQLite uses the same
  // mode for the files beside it.
  if (access == Access::kCreate) static_cast<void>(create_daemon_file(path));
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle,
                      flags_of(access) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  std::unique_ptr<Database> database(new Database(path, access, handle));
  if (code != SQLITE_OK) {
    if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT && access != Access::kCreate) {
      return Error{ErrorCode::kNotFound, path + ": no such file"};
    }
    return database->error(code);
  }
  // SQLite silently opens a write-protected file for reading. A caller that wants to write must get
  // an error.
  if (access != Access::kReadOnly && sqlite3_db_readonly(handle, "main") == 1) {
    const auto why = denial_of(path, access);
    return Error{ErrorCode::kDenied,
                 path + ": the file is read-only" + (why ? "; " + *why : std::string())};
  }
  return database;
}

Result<Statement> Database::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return error(code);
  return Statement(*this, statement);
}

Status Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(code);
  return {};
}

Result<std::int64_t> Database::integer(const char* sql) {
  auto statement = prepare(sql);
  if (!statement) return statement.error();
  auto row = statement->step();
  if (!row) return row.error();
  return *row ? statement->integer(0) : 0;
}

void Database::set_busy_timeout(int milliseconds) {
  sqlite3_busy_timeout(handle_.get(), milliseconds);
}

void Database::leave_checkpoints() {
  const auto count = [](void* pages, sqlite3*, const char*, int in_wal) {
    *static_cast<std::int64_t*>(pages) = in_wal;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(handle_.get(), count, &wal_pages_);  // replaces SQLite's own checkpoints
}

Status Database::checkpoint() {
  const int code =
      sqlite3_wal_checkpoint_v2(handle_.get(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY) return {};
  return error(code);
}

std::int64_t Database::last_insert_id() const { return sqlite3_last_insert_rowid(handle_.get()); }

std::int64_t Database::changed_rows() const { return sqlite3_changes64(handle_.get()); }

Error Database::error(int code) const {
  if (code_of(code) == ErrorCode::kDenied) {
    if (const auto why = denial_of(path_, access_)) {
      return {ErrorCode::kDenied, path_ + ": " + *why};
    }
  }
  const char* reason = handle_ != nullptr ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  return {code_of(code), path_ + ": " + reason};
}

Error Database::error_of(int code) const {
  return {code_of(code), path_ + ": " + sqlite3_errstr(code)};
}

Result<Transaction> Transaction::begin(Database& database) {
  if (Status begun = database.execute("BEGIN IMMEDIATE"); !begun) return begun.error();
  return Transaction(database);
}

Transaction::~Transaction() {
  // SQLite rolls back by itself after some errors (full disk, I/O); a second ROLLBACK would fail.
  if (database_ != nullptr && sqlite3_get_autocommit(database_->handle_.get()) == 0) {
    static_cast<void>(database_->execute("ROLLBACK"));
  }
}

Status Transaction::commit() {
  if (Status done = database_->execute("COMMIT"); !done) return done;
  database_ = nullptr;
  return {};
}

void FileCopy::Finish::operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }

Result<FileCopy> FileCopy::begin(Database& from, Database& to) {
  sqlite3_backup* backup =
      sqlite3_backup_init(to.handle_.get(), "main", from.handle_.get(), "main");
  if (backup == nullptr) return to.error(sqlite3_errcode(to.handle_.get()));
  return FileCopy(from, to, backup);
}

Result<bool> FileCopy::step(int pages) {
  const int code = sqlite3_backup_step(backup_.get(), pages);
  if (code == SQLITE_OK) return true;
  if (code == SQLITE_DONE) return false;
  // SQLite does not say which of the two files failed. Errors of reading belong to `from`, all
  // others to `to`.
  const bool reading = (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB ||
                       code == SQLITE_IOERR_READ || code == SQLITE_IOERR_SHORT_READ;
  return (reading ? from_ : to_)->error_of(code);
}

std::uint64_t FileCopy::pages() const {
  return static_cast<std::uint64_t>(sqlite3_backup_pagecount(backup_.get()));
}

std::uint64_t FileCopy::pages_done() const {
  return pages() - static_cast<std::uint64_t>(sqlite3_backup_remaining(backup_.get()));
}

Result<bool> is_file_of(Database& database, const FileIdentity& wanted) {
  const auto id = database.integer("PRAGMA application_id");
  if (!id) return id.error();
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return version.error();
  if (*id == wanted.id) {
    if (*version <= wanted.version) return true;
    return Error{ErrorCode::kInvalid, database.path() + ": written by a newer version (schema " +
                                          std::to_string(*version) + ", this program knows " +
                                          std::to_string(wanted.version) + ")"};
  }
  const auto tables = database.integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  if (*tables == 0 && *id == 0 && *version == 0) return false;
  return Error{ErrorCode::kCorrupt,
               database.path() + ": a database, but not " + std::string(wanted.name)};
}

Status check_site(Database& database, std::int64_t site) {
  const std::string keep =
      "INSERT INTO site SELECT " + std::to_string(site) + " WHERE NOT EXISTS (SELECT 1 FROM site)";
  for (const std::string& step :
       {std::string("CREATE TABLE IF NOT EXISTS site (name INTEGER NOT NULL)"), keep}) {
    if (Status done = database.execute(step.c_str()); !done) return done;
  }
  const auto kept = database.integer("SELECT name FROM site");
  if (!kept) return kept.error();
  if (*kept == site) return {};
  return Error{ErrorCode::kCorrupt,
               database.path() + ": its names were made with another key of the counters"};
}

}  // namespace shingled::storage::sqlite
