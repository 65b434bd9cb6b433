#pragma once

#include <memory>
#include <string>

#include "storage/sqlite/database.h"
#include "storage/sqlite/file_lock.h"

namespace shingled::storage::sqlite {

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
