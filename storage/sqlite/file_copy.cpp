#include "storage/sqlite/file_copy.h"

#include <sqlite3.h>

namespace shingled::storage::sqlite {

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
  // SQLite does not say which of the two files failed: reading or writing tells.
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

}  // namespace shingled::storage::sqlite
