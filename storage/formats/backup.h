#pragma once

#include <string>

#include "config/base/result.h"
#include "storage/model/work_watcher.h"

namespace shingled::storage::formats {

/// Copies the database `from`, also while a daemon writes to it, into the empty file `to`: every
/// transaction that was committed when it began, none that came later. The copy is one file that
/// opens as a storage (no WAL beside it); syncing and naming it is the caller's (NewFile).
///
/// The daemon never waits for it. But as long as it lasts, the WAL of `from` cannot begin anew and
/// grows by what is written meanwhile.
/// Errors: those of FuzzyTable::open_read_only and kUnavailable (full disk, stopped).
/// Cost: reads and writes the file once, 1 MB at a time, in constant memory.
Status backup_file(const std::string& from, const std::string& to, const Watcher& watcher);

}  // namespace shingled::storage::formats
