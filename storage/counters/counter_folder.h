#pragma once

#include <string>

#include "config/base/result.h"

namespace shingled::storage::counters {

/// Makes the folder of the counters, mode 0700, if it is not there. The folder above it must exist.
/// Errors:  kDenied, kNotFound, kUnavailable, with the path.
/// Threads: any thread.
Status make_counter_folder(const std::string& path);

}  // namespace shingled::storage::counters
