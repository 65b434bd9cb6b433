#include "storage/formats/backup.h"

#include "storage/sqlite/database.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage::formats {
namespace {

constexpr int kStepPages = 256;  ///< 1 MB: how often the watcher is asked

Status copy_all(sqlite::Database& from, sqlite::Database& to, const Watcher& watcher) {
  auto copy = sqlite::FileCopy::begin(from, to);
  if (!copy) return copy.error();
  for (;;) {
    const auto more = copy->step(kStepPages);
    if (!more) return more.error();
    if (!*more) return {};
    if (!watcher({"copying", copy->pages_done(), copy->pages()})) return stopped();
  }
}

}  // namespace

Status backup_file(const std::string& from, const std::string& to, const Watcher& watcher) {
  const auto source = sqlite::FuzzyTable::open_read_only(from);
  if (!source) return source.error();
  if (Status held = (*source)->hold_still(); !held) return held;
  const auto copy = sqlite::Database::open(to, sqlite::Database::Access::kReadWrite);
  if (!copy) return copy.error();
  // A file nobody knows yet needs no journal.
  if (Status set = (*copy)->execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"); !set) {
    return set;
  }
  if (Status copied = copy_all((*source)->database(), **copy, watcher); !copied) return copied;
  // The pages say WAL; a backup shall be one file, readable from where nothing can be written.
  return (*copy)->execute("PRAGMA journal_mode = DELETE");
}

}  // namespace shingled::storage::formats
