#pragma once

#include <cstdint>
#include <memory>

#include "config/base/result.h"
#include "storage/sqlite/database.h"

struct sqlite3_backup;

namespace shingled::storage::sqlite {

/// Copies a database page by page while others use it, some pages at a time. What is copied is
/// the moment at which `from` began its transaction: it must be inside one, or a writer between two
/// steps makes the copy start over.
///
/// Errors: those of Database.
/// Threads: one thread; `from` and `to` outlive it.
class FileCopy {
 public:
  static Result<FileCopy> begin(Database& from, Database& to);

  /// Copies up to `pages` more: true = there are more, false = all are there.
  Result<bool> step(int pages);
  [[nodiscard]] std::uint64_t pages() const;       ///< of the whole file; after the first step
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

}  // namespace shingled::storage::sqlite
