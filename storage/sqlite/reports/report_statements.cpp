#include "storage/sqlite/reports/report_statements.h"

#include "storage/sqlite/base/database.h"
#include "storage/sqlite/base/shingle_set.h"
#include "storage/sqlite/reports/case_index.h"
#include "storage/sqlite/reports/change_feed.h"

namespace shingled::storage::sqlite {

Result<ReportStatements> prepare_report_statements(Database& database) {
  const std::string hash =
      "SELECT id, digest, flag, shingle_set, per_spam, per_ham, taught, wanted, seen,"
      " closed FROM hashes ";
  const std::string reporter =
      "SELECT name, reports, agreed, disagreed, first, last, resident FROM reporters ";
  const std::string columns =
      "r.name, r.reports, r.agreed, r.disagreed, r.first, r.last, r.resident, l.kind";
  return prepare_all<ReportStatements>(
      database,
      {"SELECT kind, counted FROM reports WHERE message = ?1 AND reporter = ?2",
       "INSERT OR REPLACE INTO reports VALUES (?1, ?2, ?3, ?4, ?5,"
       " (SELECT coalesce(max(turn), 0) + 1 FROM reports))",
       "SELECT spam, ham, newcomers FROM messages WHERE name = ?1",
       "INSERT INTO messages VALUES (?1, ?2, ?3, 0, ?4) ON CONFLICT (name) DO UPDATE SET"
       " spam = excluded.spam, ham = excluded.ham, last = max(last, excluded.last)",
       "INSERT INTO reporters VALUES (?1, ?2, 0, 0, ?3, ?3, 0) ON CONFLICT (name) DO UPDATE SET"
       " reports = reports + ?2, first = min(first, ?3), last = max(last, ?3)",
       reporter + "WHERE name = ?1",
       "UPDATE reporters SET agreed = max(0, agreed + ?2), disagreed = max(0, disagreed + ?3)"
       " WHERE name = ?1",
       "UPDATE reporters SET agreed = max(0, agreed + ?4), disagreed = max(0, disagreed + ?5)"
       " WHERE name IN (SELECT reporter FROM reports WHERE message = ?1 AND kind = ?2"
       " AND reporter <> ?3)",
       "SELECT hash FROM links WHERE message = ?1 AND reporter = ?2",
       "DELETE FROM links WHERE message = ?1 AND reporter = ?2",
       "INSERT INTO hashes (digest, flag, shingle_set, per_spam, per_ham, taught, wanted, seen)"
       " VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0) ON CONFLICT (digest, flag) DO UPDATE SET"
       " shingle_set = coalesce(shingle_set, excluded.shingle_set), per_spam = excluded.per_spam,"
       " per_ham = excluded.per_ham RETURNING id",
       "INSERT OR IGNORE INTO links VALUES (?1, ?2, ?3, ?4)", hash + "WHERE id = ?1",
       "SELECT " + columns +
           " FROM reports l JOIN reporters r ON r.name = l.reporter WHERE l.message = ?1",
       "UPDATE hashes SET wanted = ?2, seen = ?3 WHERE id = ?1",
       "UPDATE hashes SET taught = ?2 WHERE id = ?1",
       "UPDATE hashes SET taught = ?2, wanted = ?2 WHERE id = ?1",
       "DELETE FROM hashes WHERE id = ?1",
       "UPDATE reports SET counted = (counted & 4) | ?3 WHERE message = ?1 AND reporter = ?2",
       "UPDATE messages SET newcomers = newcomers + 1 WHERE name = ?1",
       hash + "WHERE taught <> wanted ORDER BY id",
       reporter + "ORDER BY reports DESC, name LIMIT ?1",
       "SELECT name FROM messages WHERE last < ?1 ORDER BY last LIMIT ?2",
       "SELECT DISTINCT hash FROM links WHERE message = ?1", "DELETE FROM links WHERE message = ?1",
       "DELETE FROM reports WHERE message = ?1", "DELETE FROM messages WHERE name = ?1",
       "UPDATE reporters SET name = ?2 WHERE name = ?1",
       "UPDATE reports SET reporter = ?2 WHERE reporter = ?1",
       "UPDATE links SET reporter = ?2 WHERE reporter = ?1",
       "UPDATE reporters SET resident = ?2 WHERE name = ?1",
       hash + "WHERE digest = ?1 AND (flag = ?2 OR ?2 = 0) ORDER BY id",
       "SELECT EXISTS (SELECT 1 FROM links WHERE hash = ?1)",
       "SELECT closed FROM hashes WHERE id = ?1",
       "UPDATE hashes SET closed = ?2 WHERE id = ?1 AND closed <> ?2",
       "DELETE FROM links WHERE hash = ?1",
       // Other texts of the same reports. Files are left out: many messages share them.
       "SELECT DISTINCT o.hash FROM links l JOIN links o ON o.message = l.message"
       " AND o.reporter = l.reporter JOIN hashes h ON h.id = o.hash"
       " WHERE l.hash = ?1 AND h.shingle_set IS NOT NULL",
       "SELECT o.id FROM hashes h JOIN hashes o ON o.digest = h.digest WHERE h.id = ?1",
       "SELECT DISTINCT l.hash FROM messages m JOIN links l ON l.message = m.name"
       " WHERE m.last >= ?1 ORDER BY m.last DESC, l.hash DESC",
       "SELECT id FROM hashes WHERE closed <> 0 ORDER BY id DESC",
       "SELECT " + columns +
           ", p.turn, p.time, l.message FROM links l JOIN reports p ON p.message = l.message"
           " AND p.reporter = l.reporter JOIN reporters r ON r.name = l.reporter WHERE l.hash = ?1",
       "SELECT id FROM hashes WHERE digest >= ?1 AND digest <= ?2 ORDER BY id LIMIT 100"});
}

ReporterRow reporter_of(const Statement& row) {
  const auto number = [&](int column) { return static_cast<std::uint64_t>(row.integer(column)); };
  return {number(0),      number(1),      number(2),          number(3),
          row.integer(4), row.integer(5), row.integer(6) != 0};
}

Supporter supporter_of(const Statement& row) { return {reporter_of(row), kind_of(row.integer(7))}; }

Result<HashChange> hash_of(const Statement& row, const std::string& path) {
  HashChange out;
  out.id = row.integer(0);
  Fingerprint& fingerprint = out.hash.fingerprint;
  const auto bad = [&] {
    return Error{ErrorCode::kCorrupt,
                 path + ": hash " + std::to_string(out.id) + " has a wrong length"};
  };
  if (!row.copy_blob(1, fingerprint.digest.bytes)) return bad();
  out.hash.flag = static_cast<std::uint32_t>(row.integer(2));
  if (!row.is_null(3)) {
    if (row.blob(3).size() != kShingleSetBytes) return bad();
    fingerprint.shingles = decode_shingles(row.blob(3));
  }
  out.hash.per_spam = static_cast<std::int32_t>(row.integer(4));
  out.hash.per_ham = static_cast<std::int32_t>(row.integer(5));
  out.taught = static_cast<std::int32_t>(row.integer(6));
  out.wanted = static_cast<std::int32_t>(row.integer(7));
  out.seen = static_cast<std::int32_t>(row.integer(8));
  out.hash.closed = row.integer(9) != 0;
  return out;
}

namespace {

constexpr std::int64_t kReportFileId = 0x7368'6772;  // "shgr", SQLite's application_id
constexpr std::int64_t kReportFileVersion = 3;

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
static_assert(kReportFileId == 1936222066 && kReportFileVersion == 3,
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

/// Makes the tables that a file of this version lacks; 0 = it is empty.
Status bring_up_to_date(Database& database, std::int64_t version) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  Status done = version < 1 ? database.execute(kReportTables) : Status();
  if (done && version < 2) done = database.execute(kCaseColumns);
  if (done && version < 2) done = database.execute(CaseIndex::kTables);
  if (done && version < 2) done = fill_index(database);
  if (done) done = database.execute(ChangeFeed::kTables);
  if (done) done = database.execute("PRAGMA user_version = 3");
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
    if (Status made = bring_up_to_date(database, *ours ? *version : 0); !made) return made;
  }
  return check_site(database, site);
}

}  // namespace shingled::storage::sqlite
