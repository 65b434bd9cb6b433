#include "storage/sqlite/reports/report_schema.h"

#include "storage/sqlite/base/file_identity.h"
#include "storage/sqlite/base/shingle_set.h"
#include "storage/sqlite/base/site_row.h"
#include "storage/sqlite/base/statements.h"
#include "storage/sqlite/reports/case_index.h"

namespace shingled::storage::sqlite {

namespace {

constexpr std::int64_t kReportFileId = 0x7368'6772;  // "shgr", SQLite's application_id
constexpr std::int64_t kReportFileVersion = 2;

/// Version 1, as it is still made for a new file, which is then brought up to date.
constexpr const char* kReportTables =
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
    "PRAGMA application_id = 1936222066;";
/// What version 2 has more. Reports had no order but their time.
constexpr const char* kCaseColumns =
    "ALTER TABLE reporters ADD COLUMN resident INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE hashes ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE reports ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;"
    "UPDATE reports SET turn = time;"
    "CREATE INDEX reports_by_turn ON reports (turn);"
    "CREATE INDEX hashes_closed ON hashes (id) WHERE closed <> 0;";
static_assert(kReportFileId == 1936222066 && kReportFileVersion == 2,
              "the scripts must name the same numbers");

/// Puts the hashes of version 1 into the index of cases. What they were taught stays.
Status fill_index(Database& database) {
  auto index = CaseIndex::open(database);
  if (!index) return index.error();
  auto hashes = database.prepare(
      "SELECT id, flag, shingle_set FROM hashes WHERE shingle_set IS NOT NULL ORDER BY id");
  if (!hashes) return hashes.error();
  return for_each_row(*hashes, [&](const Statement& row) -> Status {
    // A row that cannot be is named when it is read.
    if (row.blob(2).size() != kShingleSetBytes) return {};
    return index->put(row.integer(0), static_cast<std::uint32_t>(row.integer(1)),
                      decode_shingles(row.blob(2)));
  });
}

/// Makes the tables of an empty file, or those that version 1 lacks.
Status bring_up_to_date(Database& database, bool is_new) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  Status done = is_new ? database.execute(kReportTables) : Status();
  if (done) done = database.execute(kCaseColumns);
  if (done) done = database.execute(CaseIndex::kTables);
  if (done) done = fill_index(database);
  if (done) done = database.execute("PRAGMA user_version = 2");
  return done ? transaction->commit() : done;
}

}  // namespace

Status prepare_reports(Database& database, std::int64_t site) {
  const auto ours = is_file_of(database, {kReportFileId, kReportFileVersion, "a file of reports"});
  if (!ours) return ours.error();
  if (Status wal = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); !wal)
    return wal;
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return version.error();
  if (!*ours || *version < kReportFileVersion) {
    if (Status made = bring_up_to_date(database, !*ours); !made) return made;
  }
  return check_site(database, site);
}

}  // namespace shingled::storage::sqlite
