#pragma once

#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/options/storage_options.h"

namespace shingled::milter::cli {

/// The database file of the local daemon, storage.hashfile. Only the embedded back end uses it;
/// with another back end a file may be left over, and its content is out of date.
///
/// `instead`: the command that does the same with backend redis.
/// Errors: kInvalid with that hint; wrong usage.
Result<std::string> database_file(const StorageOptions& options, std::string_view instead);

}  // namespace shingled::milter::cli
