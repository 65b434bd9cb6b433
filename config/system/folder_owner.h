#pragma once

#include <string>

namespace shingled {

/// Gives a file or folder that root has just made at `path` to the owner of the folder it is in,
/// because the daemon may be another user and must be able to use what a command of root made. If
/// that fails, root keeps it, and a daemon that cannot use it reports that. Does nothing if the
/// process is not root's, or if the folder is.
/// Threads: any thread.
void give_to_folder_owner(int fd, const std::string& path);

}  // namespace shingled
