#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/base/result.h"

namespace shingled::milter::input {

/// All names in a directory but "." and "..", sorted by their bytes.
/// Errors: those of os_error.
Result<std::vector<std::string>> names_in(const std::string& directory);

/// "DIRECTORY/NAME".
std::string below(const std::string& directory, const std::string& name);

/// A file with the name that the user knows.
struct TreeFile {
  std::string name;            ///< as it was given, or DIR/NAME; "-" = standard input
  bool given = false;          ///< an argument itself, not found in a directory
  std::optional<Error> error;  ///< why it cannot be read, as far as that is known already
};

/// The files that arguments name: FILE (pipes and devices, too), DIR with every regular file below
/// it, "-". Links in a directory are followed to regular files only, so that there are no loops;
/// what is no regular file is left out there, for reading it might never end.
///
/// Order:   as the arguments stand, the names of a directory sorted by their bytes.
/// Errors:  what cannot be read is an entry with `error`; the others are read.
/// Memory:  all the names.
std::vector<TreeFile> files_of(const std::vector<std::string>& arguments);

}  // namespace shingled::milter::input
