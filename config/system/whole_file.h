#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "config/base/result.h"

namespace shingled {

/// Shows whether a file is still the one that was read: it differs after a change in place and
/// after a rename over it.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  ///< also its mode and owner

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// The stamp of the present file at that path; all zeros if there is none.
FileStamp stamp_of(const std::string& path);

/// The content of a file, with its stamp and mode.
struct WholeFile {
  std::string text;
  FileStamp stamp;  ///< before the first byte was read
  mode_t mode = 0;  ///< permission bits

  /// Whether anybody except the owner has any permission.
  [[nodiscard]] bool is_private() const { return (mode & 077) == 0; }
};

/// Reads a file or a pipe to its end: for paths that a person gave, not a program.
/// Errors: as below; the reason alone, without the path.
Result<std::string> read_whole_text(const std::string& path, std::size_t bytes_max);

/// Reads a regular file.
/// Threads: any thread.
/// Errors: kNotFound, kDenied (or not a regular file), kLimit (more than `bytes_max`),
/// kUnavailable (disk); each names the path and the reason.
Result<WholeFile> read_whole_file(const std::string& path, std::size_t bytes_max);

}  // namespace shingled
