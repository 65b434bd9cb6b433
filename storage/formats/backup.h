#pragma once

#include <memory>
#include <string>

#include "config/base/result.h"
#include "storage/model/work_watcher.h"
#include "storage/sqlite/base/database.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::formats {

/// A database as it is at one moment, for a copy of it. A daemon may still write: the copy has
/// all transactions that were committed when the source was opened, and no later ones. So sources
/// that are opened together, before any is copied, fit together.
///
/// The daemon never waits for the copy. But until the source is gone, the WAL of the file cannot be
/// reset and grows with each write.
/// Threads: one thread.
class BackupSource {
 public:
  /// The file of the embedded storage.
  /// Errors: those of FuzzyTable::open_read_only.
  static Result<BackupSource> of_hashes(const std::string& path);
  /// Another database, such as that of reports.
  /// Errors: those of Database.
  static Result<BackupSource> of_other(const std::string& path);

  /// Copies it into the empty file `to`: one file without a WAL, which can take the place of the
  /// other. The caller syncs and names it (NewFile).
  /// Errors: kUnavailable (full disk, stopped), those of Database.
  /// Cost: reads and writes the file once, 1 MB at a time, in constant memory.
  Status copy_to(const std::string& to, const Watcher& watcher);

 private:
  BackupSource() = default;

  std::unique_ptr<sqlite::FuzzyTable> hashes_;
  std::unique_ptr<sqlite::Database> other_;
};

/// Copies the file of the embedded storage as it is now.
/// Errors: those of BackupSource.
Status backup_file(const std::string& from, const std::string& to, const Watcher& watcher);

/// Lets SQLite check all pages of a database that nobody writes to.
/// Errors: kCorrupt: it is damaged; those of Database.
Status check_copy(const std::string& path);

}  // namespace shingled::storage::formats
