#pragma once

#include <cstdint>

#include "config/base/result.h"
#include "storage/sqlite/database.h"

namespace shingled::storage::sqlite {

/// "shgl": what stands at offset 68 of a file of ours (SQLite's application_id).
inline constexpr std::int64_t kApplicationId = 0x7368676c;
/// The newest schema this program knows (SQLite's user_version).
inline constexpr std::int64_t kSchemaVersion = 6;

/// Makes a new file ours, brings an older one up to date, in one transaction; SCHEMA.md is the
/// result.
/// Errors: kInvalid (written by a newer version), kCorrupt (another program's database), and those
/// of Database.
Status migrate(Database& database);

/// The same questions for a reader: is it ours, and of a version that can be read?
Status check_schema(Database& database);

}  // namespace shingled::storage::sqlite
