#pragma once

#include <string>

#include "config/base/result.h"
#include "config/base/unique_fd.h"

namespace shingled::storage {

/// The right to change one database file: an index in memory is only true while nobody else
/// writes. It is a `flock` on FILE.lock beside it (SQLite's own locks must stay free for readers)
/// and goes with the process, however that ends; FILE.lock holds the number of the process.
///
/// Threads: one thread.
class FileLock {
 public:
  /// Errors: kUnavailable (another process has it, which is named; a full disk), kNotFound (no such
  /// folder), kDenied (permissions); each names the file.
  static Result<FileLock> take(const std::string& hashfile);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace shingled::storage
