#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/base/result.h"

struct sqlite3;
struct sqlite3_backup;
struct sqlite3_stmt;

namespace shingled::storage::sqlite {

class Database;

/// A prepared statement. Parameters count from 1, columns from 0, as in SQLite.
///
/// Lifetime: not longer than its Database.
/// Threads: one thread.
class Statement {
 public:
  Statement& bind(int parameter, std::int64_t value);
  /// Binds bytes, which must live until the next `run` or `reset`. An empty optional binds NULL.
  Statement& bind(int parameter, std::optional<BytesView> value);

  /// Goes to the next row. True: there is a row. False: there are no more rows.
  Result<bool> step();
  /// Executes a statement that returns no rows, and resets it for the next use.
  Status run();
  void reset();

  [[nodiscard]] std::int64_t integer(int column) const;
  /// The bytes of a column, valid until the next `step` or `reset`. NULL gives an empty view.
  [[nodiscard]] BytesView blob(int column) const;
  /// Copies the bytes of a column. False: their number is not `to.size()`, nothing is copied.
  [[nodiscard]] bool copy_blob(int column, std::span<std::uint8_t> to) const;
  /// The value as SQLite prints it.
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(Database& database, sqlite3_stmt* statement)
      : database_(&database), statement_(statement) {}

  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// One connection to one SQLite file. This file (with Statement, Transaction and FileCopy) is the
/// only one that includes sqlite3.h.
///
/// Errors: kUnavailable (busy, full, I/O: may work later), kCorrupt (damaged or not a database),
/// kDenied (permissions, with the missing one; read-only; cannot be opened), kNotFound (the file
/// does not exist and is not to be created), kInternal (all others); each names the file.
/// Threads: one thread at a time.
class Database {
 public:
  enum class Access { kReadOnly, kReadWrite, kCreate };

  static Result<std::unique_ptr<Database>> open(const std::string& path, Access access);
  ~Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  Database(Database&&) = delete;
  Database& operator=(Database&&) = delete;

  Result<Statement> prepare(const char* sql);
  /// Runs one or more statements and ignores their rows.
  Status execute(const char* sql);
  /// The first column of the first row of `sql`; 0 without a row.
  Result<std::int64_t> integer(const char* sql);
  /// Sets how long to wait for a lock of another connection before kUnavailable.
  void set_busy_timeout(int milliseconds);
  /// From now on, commits of this connection do not checkpoint the WAL; the caller does, with
  /// `checkpoint`.
  void leave_checkpoints();
  /// Pages in the WAL after the last commit of this connection. Counted only after
  /// `leave_checkpoints`.
  [[nodiscard]] std::int64_t wal_pages() const { return wal_pages_; }
  /// Copies the content of the WAL into the file, as far as readers allow, and syncs the file;
  /// other connections still read and write. If all of it was copied, the next commit starts
  /// the WAL again from its beginning. Another connection that is checkpointing is not an error.
  Status checkpoint();
  [[nodiscard]] std::int64_t last_insert_id() const;
  /// Rows changed by the last INSERT, UPDATE or DELETE.
  [[nodiscard]] std::int64_t changed_rows() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend class Statement;
  friend class Transaction;
  friend class FileCopy;
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Database(std::string path, Access access, sqlite3* handle)
      : path_(std::move(path)), access_(access), handle_(handle) {}
  [[nodiscard]] Error error(int code) const;     ///< with the text of this connection
  [[nodiscard]] Error error_of(int code) const;  ///< with the text for the code

  std::string path_;
  Access access_;
  std::int64_t wal_pages_ = 0;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// BEGIN IMMEDIATE ... COMMIT. The destructor rolls back unless `commit` succeeded.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction& operator=(Transaction&&) = delete;

  Status commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

/// Copies a database while others use it, some pages at a time. The copy shows the moment at which
/// the transaction of `from` began. `from` must be in a transaction; otherwise a write between two
/// steps makes the copy start again.
///
/// Errors: those of Database.
/// Threads: one thread; `from` and `to` outlive it.
class FileCopy {
 public:
  static Result<FileCopy> begin(Database& from, Database& to);

  /// Copies up to `pages` more pages. True: there are more. False: all are copied.
  Result<bool> step(int pages);
  [[nodiscard]] std::uint64_t pages() const;  ///< of the whole file; valid after the first step
  [[nodiscard]] std::uint64_t pages_done() const;  ///< copied so far

 private:
  struct Finish {
    void operator()(sqlite3_backup* backup) const;
  };
  FileCopy(Database& from, Database& to, sqlite3_backup* backup)
      : from_(&from), to_(&to), backup_(backup) {}

  Database* from_;
  Database* to_;
  std::unique_ptr<sqlite3_backup, Finish> backup_;
};

/// Prepares the statements of a struct (or std::array) of Statement, in the order of its members.
/// The number of texts must be the number of members, otherwise it does not compile.
/// Errors: that of the first text that cannot be prepared.
template <typename Statements, std::size_t N>
Result<Statements> prepare_all(Database& database, const std::string (&texts)[N]) {
  std::vector<Statement> made;
  made.reserve(N);
  for (const std::string& text : texts) {
    auto statement = database.prepare(text.c_str());
    if (!statement) return statement.error();
    made.push_back(*std::move(statement));
  }
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return Statements{std::move(made[I])...};
  }
  (std::make_index_sequence<N>());
}

/// Calls `each(statement)` for every row, then resets the statement for the next use.
///
/// `each` returns void, or a Status; an error ends the walk.
/// Errors: those of Database, that of `each`.
template <typename Each>
Status for_each_row(Statement& statement, const Each& each) {
  for (;;) {
    const auto more = statement.step();
    if (!more) return more.error();
    if (!*more) break;
    if constexpr (std::is_void_v<std::invoke_result_t<const Each&, const Statement&>>) {
      each(std::as_const(statement));
    } else if (Status done = each(std::as_const(statement)); !done) {
      statement.reset();
      return done;
    }
  }
  statement.reset();
  return {};
}

/// How a kind of database file is known.
struct FileIdentity {
  std::int64_t id = 0;       ///< SQLite's application_id
  std::int64_t version = 0;  ///< SQLite's user_version: the newest that this program knows
  std::string_view name;     ///< in errors: "a history of shingled"
};

/// True if a database is a file of this kind, false if it is empty. While another process may
/// create the tables, call it in a transaction, so that its answers fit together.
///
/// Errors:  kCorrupt: it is something else; kInvalid: a newer version wrote it; those of Database.
/// Threads: that of the database.
Result<bool> is_file_of(Database& database, const FileIdentity& wanted);

/// Keeps the number of a site in a file that has none, or compares it: names in the file were
/// hashed with the key of the site, so another key would make two persons of one.
/// Errors:  kCorrupt (another site), those of Database.
/// Threads: that of the database.
Status check_site(Database& database, std::int64_t site);

}  // namespace shingled::storage::sqlite
