#pragma once

#include <string>
#include <string_view>

#include "config/base/result.h"

namespace shingled::config {

/// Puts a file with this text in the place of another one: there is always the old one or the new
/// one as a whole, also after a crash. It belongs to the owner of its folder.
/// Errors:  kUnavailable, kDenied ...: as FileSystem.
/// Threads: one thread at a time.
Status replace_file(const std::string& file, std::string_view text);

/// Renames a file that cannot be read, so that the next one does not overwrite it. Returns its new
/// name.
/// Errors: as FileSystem.
Result<std::string> set_aside(const std::string& file);

}  // namespace shingled::config
