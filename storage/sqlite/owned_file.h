#pragma once

#include <memory>
#include <string>

#include "config/base/result.h"
#include "config/system/unique_fd.h"
#include "storage/sqlite/database.h"

namespace shingled::storage::sqlite {

/// The right to change one database file: an index in memory is only true while nobody else
/// writes. It is a `flock` on FILE.lock beside it, which holds the number of the process, and one
/// on the file itself, for a tool may remove FILE.lock; it goes with the process, however that
/// ends. Readers need not care: SQLite's own locks are of another kind (fcntl). But a process that
/// closes the file loses those, so this must outlive what is open of it here.
///
/// Threads: one thread.
class FileLock {
 public:
  /// Makes the file if it is not there.
  /// Errors: kUnavailable (another process has it, which is named; a full disk), kNotFound (no such
  /// folder), kDenied (permissions); each names the file.
  static Result<FileLock> take(const std::string& hashfile);

 private:
  FileLock(UniqueFd beside, UniqueFd file) : beside_(std::move(beside)), file_(std::move(file)) {}
  UniqueFd beside_;
  UniqueFd file_;
};

/// A database file that this process alone may change: its lock and a connection to it. The
/// connection ends first, as FileLock demands.
///
/// Threads: one thread at a time.
struct OwnedFile {
  FileLock lock;
  std::unique_ptr<Database> database;

  /// Opens or makes the file.
  /// Errors: those of FileLock and Database.
  static Result<OwnedFile> open(const std::string& path);
};

}  // namespace shingled::storage::sqlite
