#pragma once

#include <string>

#include "config/base/result.h"
#include "config/options/daemon_options.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::process {

/// Opens the log to append to, and makes it (mode 0640) where there is none.
///
/// What stands in its place may have been put there by somebody else, in a folder that is his: so a
/// symbolic link is refused, and root who will become daemon.user opens it with that user's rights,
/// which decide about every folder on the way as well. Only where the user may not make it, and all
/// folders on the way are root's and not open to him, root does, and gives it to the user, so that
/// it can be opened again.
/// Errors: kDenied, kUnavailable (a link, no regular file or device), naming the file.
/// Threads: root's rights change for a moment; call it before there are threads.
Result<UniqueFd> open_log_file(const std::string& path, const DaemonOptions& options);

}  // namespace shingled::milter::process
