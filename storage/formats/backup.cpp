#include "storage/formats/backup.h"

#include <utility>

namespace shingled::storage::formats {
namespace {

constexpr int kStepPages = 256;  ///< 1 MB; then the watcher is called
constexpr int kBusyTimeoutMs = 5000;

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

Result<BackupSource> BackupSource::of_hashes(const std::string& path) {
  auto table = sqlite::FuzzyTable::open_read_only(path);
  if (!table) return table.error();
  if (Status held = (*table)->hold_still(); !held) return held.error();
  BackupSource out;
  out.hashes_ = *std::move(table);
  return out;
}

Result<BackupSource> BackupSource::of_other(const std::string& path) {
  auto database = sqlite::Database::open(path, sqlite::Database::Access::kReadOnly);
  if (!database) return database.error();
  (*database)->set_busy_timeout(kBusyTimeoutMs);
  // A transaction begins with the first thing that it reads.
  if (Status held = (*database)->execute("BEGIN; SELECT count(*) FROM sqlite_schema"); !held)
    return held.error();
  BackupSource out;
  out.other_ = *std::move(database);
  return out;
}

Status BackupSource::copy_to(const std::string& to, const Watcher& watcher) {
  const auto copy = sqlite::Database::open(to, sqlite::Database::Access::kReadWrite);
  if (!copy) return copy.error();
  // Nobody else uses the new file yet, so it needs no journal.
  if (Status set = (*copy)->execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"); !set) {
    return set;
  }
  sqlite::Database& from = hashes_ != nullptr ? hashes_->database() : *other_;
  if (Status copied = copy_all(from, **copy, watcher); !copied) return copied;
  // The copied header says WAL. A backup must be one file that can be read in a read-only folder.
  return (*copy)->execute("PRAGMA journal_mode = DELETE");
}

Status backup_file(const std::string& from, const std::string& to, const Watcher& watcher) {
  auto source = BackupSource::of_hashes(from);
  return source ? source->copy_to(to, watcher) : source.error();
}

Status check_copy(const std::string& path) {
  const auto database = sqlite::Database::open(path, sqlite::Database::Access::kReadOnly);
  if (!database) return database.error();
  auto check = (*database)->prepare("PRAGMA integrity_check(1)");
  if (!check) return check.error();
  const auto row = check->step();
  if (!row) return row.error();
  const std::string says = *row ? check->text(0) : "no answer";
  return says == "ok" ? Status() : Error{ErrorCode::kCorrupt, path + ": " + says};
}

}  // namespace shingled::storage::formats
