#pragma once

#include <string>
#include <utility>

#include "config/base/result.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::backup {

/// A new folder, mode 0700, that gets its name only when it is complete and on disk. Until then its
/// name is DIR.part. A process that dies leaves at most DIR.part, and the next one begins it anew.
/// DIR is never incomplete.
///
/// Threads: one thread.
class NewFolder {
 public:
  /// DIR must not exist, or be empty.
  /// Errors: kInvalid (DIR has files, is a mount point or no folder; DIR.part is not ours, or another
  ///         process is writing it), kNotFound (the folder above does not exist), kDenied,
  ///         kUnavailable (disk); each names the folder.
  static Result<NewFolder> create(const std::string& path);
  ~NewFolder();  ///< removes DIR.part if it was not committed
  NewFolder(NewFolder&& other) noexcept = default;
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  NewFolder& operator=(NewFolder&&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }  ///< DIR, absolute
  /// The path of a file in DIR.part.
  [[nodiscard]] std::string file(const std::string& name) const { return part_ + '/' + name; }
  /// Gives the folder its name. The files in it must be on the disk.
  /// Errors: kInvalid if DIR has files by now; kUnavailable if the disk refuses.
  Status commit();

 private:
  NewFolder(std::string path, std::string part, UniqueFd fd)
      : path_(std::move(path)), part_(std::move(part)), fd_(std::move(fd)) {}

  std::string path_;
  std::string part_;
  UniqueFd fd_;  ///< has a lock on DIR.part; closed = committed or moved from
};

}  // namespace shingled::milter::backup
