#pragma once

#include <string>
#include <utility>

#include "config/base/result.h"
#include "milter/backup/manifest.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::backup {

/// A backup that is read.
/// Threads: one thread.
class StoredBackup {
 public:
  /// Reads the manifest of a folder.
  /// Errors: kNotFound (no backup is there), kDenied, kCorrupt, kInvalid (of a newer version), each
  ///         with the path.
  static Result<StoredBackup> open(const std::string& folder);

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  [[nodiscard]] std::string path_of(const StoredPart& part) const {
    return folder_ + '/' + part.file;
  }
  /// Compares each file with its sum.
  /// Errors: kCorrupt (a file is missing, or is another one), kDenied, kUnavailable (disk, stopped).
  /// Cost:   reads all of them.
  [[nodiscard]] Status check(const storage::Watcher& watcher) const;

 private:
  StoredBackup(std::string folder, Manifest manifest)
      : folder_(std::move(folder)), manifest_(std::move(manifest)) {}

  std::string folder_;
  Manifest manifest_;
};

}  // namespace shingled::milter::backup
