#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace shingled {

/// Why this process may not use a file, for the person who started it: the obstacle (the file, or a
/// folder above it), its owner, and the user to run as. nullopt if the reason is not a missing
/// permission.
///
/// `mode`: the needed ones of R_OK, W_OK and X_OK as for access(2), but for the effective user.
/// Source:  POSIX faccessat, getpwuid_r.
/// Threads: any thread.
/// Cost: some system calls.
std::optional<std::string> missing_permission(const std::string& path, int mode);

/// The permission bits as chmod(1) takes them: "0640".
std::string mode_text(mode_t mode);

/// Gives a file or folder that root has just made at `path` to the owner of the folder it is in,
/// because the daemon may be another user and must be able to use what a command of root made. If
/// that fails, root keeps it, and a daemon that cannot use it reports that. Does nothing if the
/// process is not root's, or if the folder is.
/// Threads: any thread.
void give_to_folder_owner(int fd, const std::string& path);

}  // namespace shingled
