#pragma once

#include <string>

#include "config/base/result.h"
#include "storage/model/work_watcher.h"

namespace shingled::storage::formats {

/// Copies the database `from` into the empty file `to`. A daemon may write to `from` meanwhile: the
/// copy has all transactions that were committed when it began, and no later ones. The copy is one
/// file without a WAL that can be opened as a storage. The caller syncs and names it (NewFile).
///
/// The daemon never waits for the copy. But until the copy is complete, the WAL of `from` cannot be
/// reset and grows with each write.
/// Errors: those of FuzzyTable::open_read_only, and kUnavailable (full disk, stopped).
/// Cost: reads and writes the file once, 1 MB at a time, in constant memory.
Status backup_file(const std::string& from, const std::string& to, const Watcher& watcher);

}  // namespace shingled::storage::formats
