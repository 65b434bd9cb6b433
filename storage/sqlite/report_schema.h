#pragma once

#include "config/base/result.h"
#include "storage/sqlite/database.h"

namespace shingled::storage::sqlite {

/// Makes the tables of a file of reports (SCHEMA.md), or checks that they are there.
/// Errors:  kCorrupt (another file), kInvalid (of a newer version), those of Database. The file is
///          then as it was.
/// Threads: one thread.
Status prepare_reports(Database& database);

}  // namespace shingled::storage::sqlite
