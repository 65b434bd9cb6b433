#pragma once

#include <cstdint>

#include "config/base/result.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// Makes the tables of a file of reports (SCHEMA.md), or checks that they are there. `site`: see
/// ReportTable::open.
/// Errors:  kCorrupt (another file, another site), kInvalid (of a newer version), those of Database. The file is
///          then as it was.
/// Threads: one thread.
Status prepare_reports(Database& database, std::int64_t site);

}  // namespace shingled::storage::sqlite
