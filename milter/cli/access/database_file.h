#pragma once

#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/options/settings.h"

namespace shingled::milter::cli {

/// The file with the hashes of the local daemon: storage.hashfile, which only the embedded backend
/// uses. With another one it may lie there from earlier days, and what it says is not so any more.
///
/// `instead`: what does the same with backend redis.
/// Errors: kInvalid, with that; of the usage.
Result<std::string> database_file(const StorageOptions& options, std::string_view instead);

}  // namespace shingled::milter::cli
