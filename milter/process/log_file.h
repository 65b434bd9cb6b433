#pragma once

#include <string>

#include "config/base/result.h"
#include "config/options/daemon_options.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::process {

/// Opens the log file for appending; creates it with mode 0640 if it does not exist.
///
/// Another user who owns a folder of the path may have prepared the file there. So a symbolic link
/// is refused, and root that will become daemon.user opens the file with the rights of this user,
/// which apply to every folder of the path, too. If this is denied, and all folders of the path
/// belong to root and the user may not write there, root creates the file and gives it to the user,
/// so that the daemon can reopen it later.
/// Errors: kDenied; kUnavailable (also: a symbolic link; neither a regular file nor a device). They
/// name the file.
/// Threads: the rights of root change for a moment; call it before there are threads.
Result<UniqueFd> open_log_file(const std::string& path, const DaemonOptions& options);

}  // namespace shingled::milter::process
