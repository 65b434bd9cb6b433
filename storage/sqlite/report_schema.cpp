#include "storage/sqlite/report_schema.h"

#include "storage/sqlite/file_identity.h"
#include "storage/sqlite/site_row.h"

namespace shingled::storage::sqlite {

namespace {

constexpr std::int64_t kReportFileId = 0x7368'6772;  // "shgr", SQLite's application_id
constexpr std::int64_t kReportFileVersion = 1;

constexpr const char* kReportTables =
    "BEGIN;"
    "CREATE TABLE reporters (name INTEGER PRIMARY KEY, reports INTEGER NOT NULL,"
    " agreed INTEGER NOT NULL, disagreed INTEGER NOT NULL, first INTEGER NOT NULL,"
    " last INTEGER NOT NULL);"
    "CREATE TABLE messages (name INTEGER PRIMARY KEY, spam INTEGER NOT NULL, ham INTEGER NOT NULL,"
    " newcomers INTEGER NOT NULL, last INTEGER NOT NULL);"
    "CREATE INDEX messages_last ON messages (last);"
    "CREATE TABLE reports (message INTEGER, reporter INTEGER, kind INTEGER NOT NULL,"
    " time INTEGER NOT NULL, counted INTEGER NOT NULL, PRIMARY KEY (message, reporter))"
    " WITHOUT ROWID;"
    "CREATE TABLE hashes (id INTEGER PRIMARY KEY, digest BLOB NOT NULL, flag INTEGER NOT NULL,"
    " shingle_set BLOB, per_spam INTEGER NOT NULL, per_ham INTEGER NOT NULL,"
    " taught INTEGER NOT NULL, wanted INTEGER NOT NULL, seen INTEGER NOT NULL,"
    " UNIQUE (digest, flag));"
    "CREATE INDEX hashes_unfinished ON hashes (id) WHERE taught <> wanted;"
    "CREATE TABLE links (hash INTEGER, reporter INTEGER, message INTEGER, kind INTEGER NOT NULL,"
    " PRIMARY KEY (hash, reporter, message)) WITHOUT ROWID;"
    "CREATE INDEX links_of_report ON links (message, reporter);"
    "PRAGMA application_id = 1936222066;"
    "PRAGMA user_version = 1;"
    "COMMIT;";
static_assert(kReportFileId == 1936222066 && kReportFileVersion == 1,
              "the script must name the same numbers");

}  // namespace

Status prepare_reports(Database& database, std::int64_t site) {
  const auto ours = is_file_of(database, {kReportFileId, kReportFileVersion, "a file of reports"});
  if (!ours) return ours.error();
  if (Status wal = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); !wal)
    return wal;
  if (!*ours) {
    if (Status made = database.execute(kReportTables); !made) return made;
  }
  return check_site(database, site);
}

}  // namespace shingled::storage::sqlite
