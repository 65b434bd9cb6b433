#include "storage/sqlite/base/file_identity.h"

#include <string>

namespace shingled::storage::sqlite {

Result<bool> is_file_of(Database& database, const FileIdentity& wanted) {
  const auto id = database.integer("PRAGMA application_id");
  if (!id) return id.error();
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return version.error();
  if (*id == wanted.id) {
    if (*version <= wanted.version) return true;
    return Error{ErrorCode::kInvalid, database.path() + ": written by a newer version (schema " +
                                          std::to_string(*version) + ", this program knows " +
                                          std::to_string(wanted.version) + ")"};
  }
  const auto tables = database.integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.error();
  if (*tables == 0 && *id == 0 && *version == 0) return false;
  return Error{ErrorCode::kCorrupt,
               database.path() + ": a database, but not " + std::string(wanted.name)};
}

Status check_site(Database& database, std::int64_t site) {
  const std::string keep =
      "INSERT INTO site SELECT " + std::to_string(site) + " WHERE NOT EXISTS (SELECT 1 FROM site)";
  for (const std::string& step :
       {std::string("CREATE TABLE IF NOT EXISTS site (name INTEGER NOT NULL)"), keep}) {
    if (Status done = database.execute(step.c_str()); !done) return done;
  }
  const auto kept = database.integer("SELECT name FROM site");
  if (!kept) return kept.error();
  if (*kept == site) return {};
  return Error{ErrorCode::kCorrupt,
               database.path() + ": its names were made with another key of the counters"};
}

}  // namespace shingled::storage::sqlite
