#pragma once

#include <string>

#include "config/base/result.h"

namespace shingled::milter::api {

/// The key by which a client shows who it is: the first line with text of a file; "" without one.
/// Errors:  those of the file; kDenied (everybody may read it), kInvalid (it has none).
/// Threads: any thread; reads a file.
Result<std::string> read_client_key(const std::string& path);

}  // namespace shingled::milter::api
