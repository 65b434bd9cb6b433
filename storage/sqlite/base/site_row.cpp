#include "storage/sqlite/base/site_row.h"

#include <string>

namespace shingled::storage::sqlite {

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
