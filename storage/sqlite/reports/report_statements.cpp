#include "storage/sqlite/reports/report_statements.h"

#include "storage/sqlite/base/shingle_set.h"
#include "storage/sqlite/base/statements.h"

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

}  // namespace shingled::storage::sqlite
