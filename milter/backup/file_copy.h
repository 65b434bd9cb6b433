#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/system/unique_fd.h"
#include "storage/model/work_watcher.h"

namespace shingled::milter::backup {

/// How many bytes a file has, and which.
struct FileSum {
  std::uint64_t bytes = 0;
  std::string sha256 = {};  ///< 64 hexadecimal digits, as of sha256sum(1)
  friend bool operator==(const FileSum&, const FileSum&) = default;
};

/// Bytes of a step over several files.
/// Threads: one thread.
class ByteProgress {
 public:
  /// `watcher` must outlive it. `total`: bytes of all files; 0 = not known.
  ByteProgress(const storage::Watcher& watcher, std::string_view step, std::uint64_t total)
      : watcher_(watcher), step_(step), total_(total) {}
  /// False = the work is to end.
  bool add(std::uint64_t bytes) {
    done_ += bytes;
    return watcher_({step_, done_, total_, storage::WorkDone::Unit::kBytes});
  }

 private:
  const storage::Watcher& watcher_;
  std::string_view step_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
};

/// Absolute, without "." and "..", and without a '/' at the end, so that paths can be compared.
std::string plain_path(const std::string& path);
/// The folder that a path is in.
std::string folder_of(const std::string& path);
/// Whether the path has something, be it a link to nothing; true also if we may not look.
bool is_there(const std::string& path);

/// Opens a regular file for reading; never a symbolic link, a pipe or a device.
/// Errors: those of os_error, kDenied (not a regular file), each with the path.
Result<UniqueFd> open_to_read(const std::string& path);

/// The sum of a file.
/// Errors: those of open_to_read; kUnavailable (disk, or stopped).
Result<FileSum> sum_of(const std::string& path, ByteProgress& progress);

/// Makes the file `to` with mode 0600 and the bytes of `from`, and syncs it. A file that is there
/// is refused; if the copy fails, there is none.
/// Errors: those of open_to_read and os_write_error, kUnavailable (stopped); each names a path.
Result<FileSum> copy_file(const std::string& from, const std::string& to, ByteProgress& progress);

/// Makes the file `to` with mode 0600 and this text, and syncs it.
/// Errors: as copy_file.
Status write_file(const std::string& to, std::string_view text);

/// The names in a folder are on the disk afterwards.
Status sync_folder(const std::string& path);

/// What a file or folder has is on the disk afterwards, and who may use it: nobody but `owner` and,
/// by `mode`, `group`. Links are not followed, and a file with two names is refused: the folder may
/// be somebody else's, who put another file there.
/// Errors: those of os_write_error, with the path.
Status give_to(const std::string& path, uid_t owner, gid_t group, mode_t mode);

}  // namespace shingled::milter::backup
