#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace shingled {

/// Why this process may not use a file, for the person who started it: what stands in the way (the
/// file, or a folder above it), whose that is, and as whom to run. Nothing where permission is not
/// what is missing.
///
/// `mode`: of R_OK, W_OK and X_OK what is needed, as for access(2), but by the effective user.
/// Source:  POSIX faccessat, getpwuid_r.
/// Threads: any thread.
/// Cost: some system calls.
std::optional<std::string> missing_permission(const std::string& path, int mode);

/// The permission bits as chmod(1) takes them: "0640".
std::string mode_text(mode_t mode);

}  // namespace shingled
