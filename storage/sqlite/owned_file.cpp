#include "storage/sqlite/owned_file.h"

#include <utility>

namespace shingled::storage::sqlite {

Result<OwnedFile> OwnedFile::open(const std::string& path) {
  auto lock = FileLock::take(path);
  if (!lock) return lock.error();
  auto database = Database::open(path, Database::Access::kCreate);
  if (!database) return database.error();
  return OwnedFile{*std::move(lock), *std::move(database)};
}

}  // namespace shingled::storage::sqlite
