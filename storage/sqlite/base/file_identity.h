#pragma once

#include <cstdint>
#include <string_view>

#include "config/base/result.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// How a kind of database file is known.
struct FileIdentity {
  std::int64_t id = 0;       ///< SQLite's application_id
  std::int64_t version = 0;  ///< SQLite's user_version: the newest that this program knows
  std::string_view name;     ///< in errors: "a history of shingled"
};

/// True if a database is a file of this kind, false if it is empty. While another process may
/// create the tables, call it in a transaction, so that its answers fit together.
///
/// Errors:  kCorrupt: it is something else; kInvalid: a newer version wrote it; those of Database.
/// Threads: that of the database.
Result<bool> is_file_of(Database& database, const FileIdentity& wanted);

/// Keeps the number of a site in a file that has none, or compares it: names in the file were
/// hashed with the key of the site, so another key would make two persons of one.
/// Errors:  kCorrupt (another site), those of Database.
/// Threads: that of the database.
Status check_site(Database& database, std::int64_t site);

}  // namespace shingled::storage::sqlite
