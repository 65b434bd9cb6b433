#pragma once

#include <string>
#include <vector>

#include "config/base/result.h"

namespace shingled::milter::cli {

/// All names in a directory but "." and "..", sorted by their bytes.
/// Errors: those of os_error.
Result<std::vector<std::string>> names_in(const std::string& directory);

/// "DIRECTORY/NAME".
std::string below(const std::string& directory, const std::string& name);

}  // namespace shingled::milter::cli
