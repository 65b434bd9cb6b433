#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <string>

#include "config/base/unique_fd.h"

namespace shingled::storage {

/// Of every file the storage makes, whatever the umask: its owner's, and readable for the group.
inline constexpr mode_t kFileMode = 0640;

/// Makes a file that is not there, open for reading and writing; nothing where it is, or cannot be
/// made (errno).
inline UniqueFd create_file(const std::string& path) {
  UniqueFd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
  if (made) static_cast<void>(::fchmod(made.get(), kFileMode) == 0);
  return made;
}

}  // namespace shingled::storage
