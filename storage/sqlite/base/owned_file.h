#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>

#include "config/base/result.h"
#include "config/system/unique_fd.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// Mode of every file that the storage creates, whatever the umask: the owner reads and writes, the
/// group reads.
inline constexpr mode_t kFileMode = 0640;

/// Creates a file and opens it for reading and writing. Returns an empty UniqueFd if the file
/// exists or cannot be created (see errno).
UniqueFd create_file(const std::string& path);

/// Like `create_file`, for a file that the daemon must write, too: `give_to_folder_owner`. (SQLite
/// gives files that it creates beside a file to the owner of that file.)
UniqueFd create_daemon_file(const std::string& path);

/// The right to change one database file: the index in memory is only correct while nobody else
/// writes. It consists of a `flock` on FILE.lock beside the file and of one on the file itself,
/// because a tool may remove FILE.lock. FILE.lock holds the number of the process. The locks end
/// with the process, however it ends. Readers need no lock: SQLite's own locks are of another kind
/// (fcntl). But a process that closes the file loses its fcntl locks, so a FileLock must outlive
/// all connections of this process to the file.
///
/// Threads: one thread.
class FileLock {
 public:
  /// Creates the file if it does not exist.
  /// Errors: kUnavailable (another process has the lock, named by its number; a full disk),
  /// kNotFound (the folder does not exist), kDenied (permissions); each names the file.
  static Result<FileLock> take(const std::string& hashfile);

 private:
  FileLock(UniqueFd beside, UniqueFd file) : beside_(std::move(beside)), file_(std::move(file)) {}
  UniqueFd beside_;
  UniqueFd file_;
};

/// A database file that only this process may change: its lock and a connection to it. The
/// connection is closed first, as FileLock requires.
///
/// Threads: one thread at a time.
struct OwnedFile {
  FileLock lock;
  std::unique_ptr<Database> database;

  /// Opens or creates the file.
  /// Errors: those of FileLock and Database.
  static Result<OwnedFile> open(const std::string& path);
};

}  // namespace shingled::storage::sqlite
