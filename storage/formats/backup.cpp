#include "storage/formats/backup.h"

#include "storage/sqlite/database.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage::formats {
namespace {

constexpr int kStepPages = 256;  ///< 1 MB; then the watcher is called

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
  // Nobody else uses the new file yet, so it needs no journal.
  if (Status set = (*copy)->execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"); !set) {
    return set;
  }
  if (Status copied = copy_all((*source)->database(), **copy, watcher); !copied) return copied;
  // The copied header says WAL. A backup must be one file that can be read in a read-only folder.
  return (*copy)->execute("PRAGMA journal_mode = DELETE");
}

}  // namespace shingled::storage::formats
