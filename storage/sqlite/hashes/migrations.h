#pragma once

#include <cstdint>

#include "config/base/result.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// "shgl": at offset 68 of our files (SQLite's application_id).
inline constexpr std::int64_t kApplicationId = 0x7368676c;
/// The newest schema this program knows (SQLite's user_version).
inline constexpr std::int64_t kSchemaVersion = 6;

/// Creates the tables in an empty file, or brings an older file up to date, in one transaction.
/// SCHEMA.md describes the result.
/// Errors: kInvalid (written by a newer version), kCorrupt (the database of another program), and
/// those of Database.
Status migrate(Database& database);

/// For a reader: checks that the file is ours and of a version that this program can read. Same
/// errors.
Status check_schema(Database& database);

}  // namespace shingled::storage::sqlite
