#pragma once

#include <cstdint>
#include <string>

#include "config/base/result.h"
#include "milter/backup/file_copy.h"

namespace shingled::milter::backup {

/// The files of a folder in one file: for each a line "NAME BYTES", its bytes and a line feed.
/// Taken are regular files with names of letters, digits and . _ - that do not begin with a dot;
/// the others, and folders, are not part of what a daemon keeps.
struct PackedFolder {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  ///< of the files

  friend bool operator==(const PackedFolder&, const PackedFolder&) = default;
};

/// Writes the files of `folder`, sorted by name, to the new file `to`. A file that goes meanwhile
/// is left out.
/// Errors:  those of copy_file.
/// Threads: stateless.
/// Memory:  one file.
Result<PackedFolder> pack_folder(const std::string& folder, const std::string& to,
                                 ByteProgress& progress);

/// Puts the files back into `folder`, which exists, with mode 0600.
/// Errors:  those of copy_file; kCorrupt (not such a file, or one that is cut off).
Result<PackedFolder> unpack_folder(const std::string& from, const std::string& folder,
                                   ByteProgress& progress);

}  // namespace shingled::milter::backup
