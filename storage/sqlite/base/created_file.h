#pragma once

#include <sys/types.h>

#include <string>

#include "config/system/unique_fd.h"

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

}  // namespace shingled::storage::sqlite
