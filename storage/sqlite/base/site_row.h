#pragma once

#include <cstdint>

#include "config/base/result.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// Keeps the number of a site in a file that has none, or compares it: names in the file were
/// hashed with the key of the site, so another key would make two persons of one.
/// Errors:  kCorrupt (another site), those of Database.
/// Threads: that of the database.
Status check_site(Database& database, std::int64_t site);

}  // namespace shingled::storage::sqlite
