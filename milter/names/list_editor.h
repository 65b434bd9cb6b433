#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "config/base/result.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::names {

/// How long edit_list() waits for somebody else who changes the list.
inline constexpr std::chrono::seconds kListPatience{10};

/// Changes a file of lines so that no reader ever sees half of it, and two programs at once do not
/// lose a change: a lock on FILE.lock, a new file beside the old one, a rename. The new file has
/// the mode and owner of the old one; the first one has mode 0640 and, if root makes it, the owner
/// of its folder. Root never follows a symbolic link there, because the folder is the daemon's.
/// Errors:  kNotFound (no folder), kDenied, kUnavailable, kTimeout (another change takes long),
///          kLimit (the file is too long); each names the path. `change` may refuse, too.
/// Threads: any; one change of a list at a time.
Status edit_list(const std::string& path,
                 const std::function<Result<std::string>(std::string text)>& change);

}  // namespace shingled::milter::names
