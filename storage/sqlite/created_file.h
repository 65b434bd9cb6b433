#pragma once

#include <sys/types.h>

#include <string>

#include "config/system/unique_fd.h"

namespace shingled::storage::sqlite {

/// Of every file the storage makes, whatever the umask: its owner's, and readable for the group.
inline constexpr mode_t kFileMode = 0640;

/// Makes a file that is not there, open for reading and writing; nothing where it is, or cannot be
/// made (errno).
UniqueFd create_file(const std::string& path);

/// The same for what the daemon has to write as well. What root makes belongs to whoever has the
/// folder, for the daemon may be somebody else; where that fails root keeps it, and a daemon that
/// cannot open it says so. (SQLite gives what it makes beside a file to the file's owner.)
UniqueFd create_daemon_file(const std::string& path);

}  // namespace shingled::storage::sqlite
