#include "storage/sqlite/case_index.h"

#include <string>
#include <utility>

#include "storage/model/fuzzy_store.h"
#include "storage/sqlite/statements.h"

namespace shingled::storage::sqlite {

namespace {

std::int64_t signed_shingle(std::uint64_t shingle) { return static_cast<std::int64_t>(shingle); }

/// ?1 is the list, ?2 the hash itself, ?3 and the next ones are the shingles.
constexpr int kFirstShingle = 3;

std::string equal_slots_text() {
  std::string values;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    values += (slot == 0 ? "(?" : ",(?") +
              std::to_string(static_cast<std::size_t>(kFirstShingle) + slot) + "," +
              std::to_string(slot) + ")";
  }
  // CROSS JOIN: SQLite is to look up each of our slots, not to read the table.
  return "SELECT s.hash FROM (VALUES " + values +
         ") AS mine CROSS JOIN slots s ON s.shingle = mine.column1 AND s.slot = mine.column2"
         " CROSS JOIN hashes h ON h.id = s.hash AND h.flag = ?1 WHERE s.hash <> ?2"
         " GROUP BY s.hash HAVING count(*) >= " +
         std::to_string(kMatchSlotsMin) + " ORDER BY count(*) DESC, s.hash DESC LIMIT " +
         std::to_string(CaseIndex::kPairsMax);
}

}  // namespace

const char* const CaseIndex::kTables =
    "CREATE TABLE slots (shingle INTEGER, slot INTEGER, hash INTEGER,"
    " PRIMARY KEY (shingle, slot, hash)) WITHOUT ROWID;"
    "CREATE TABLE pairs (hash INTEGER, other INTEGER, PRIMARY KEY (hash, other)) WITHOUT ROWID;";

Result<CaseIndex> CaseIndex::open(Database& database) {
  auto statements = prepare_all<Statements>(
      database, {"INSERT OR IGNORE INTO slots VALUES (?1, ?2, ?3)",
                 "DELETE FROM slots WHERE shingle = ?1 AND slot = ?2 AND hash = ?3",
                 equal_slots_text(), "INSERT OR IGNORE INTO pairs VALUES (?1, ?2), (?2, ?1)",
                 "DELETE FROM pairs WHERE other = ?1"
                 " AND hash IN (SELECT other FROM pairs WHERE hash = ?1)",
                 "DELETE FROM pairs WHERE hash = ?1",
                 "SELECT other FROM pairs WHERE hash = ?1 ORDER BY other"});
  if (!statements) return statements.error();
  return CaseIndex(database, *std::move(statements));
}

Status CaseIndex::put(std::int64_t hash, std::uint32_t flag, const Shingles& shingles) {
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    Status done = statements_.put_slot.bind(1, signed_shingle(shingles[slot]))
                      .bind(2, static_cast<std::int64_t>(slot))
                      .bind(3, hash)
                      .run();
    if (!done) return done;
    if (slot == 0 && database_->changed_rows() == 0) return {};
  }
  Statement& find = statements_.equal_slots;
  find.bind(1, std::int64_t{flag}).bind(2, hash);
  for (std::size_t slot = 0; slot < kShingleCount; ++slot)
    find.bind(kFirstShingle + static_cast<int>(slot), signed_shingle(shingles[slot]));
  return for_each_row(find, [&](const Statement& row) {
    return statements_.put_pair.bind(1, hash).bind(2, row.integer(0)).run();
  });
}

Status CaseIndex::remove(std::int64_t hash, const Shingles& shingles) {
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    Status done = statements_.drop_slot.bind(1, signed_shingle(shingles[slot]))
                      .bind(2, static_cast<std::int64_t>(slot))
                      .bind(3, hash)
                      .run();
    if (!done) return done;
  }
  for (Statement* drop : {&statements_.drop_pairs_to, &statements_.drop_pairs}) {
    if (Status done = drop->bind(1, hash).run(); !done) return done;
  }
  return {};
}

Result<std::vector<std::int64_t>> CaseIndex::matching(std::int64_t hash) {
  std::vector<std::int64_t> out;
  Status done = for_each_row(statements_.pairs.bind(1, hash),
                             [&](const Statement& row) { out.push_back(row.integer(0)); });
  if (!done) return done.error();
  return out;
}

}  // namespace shingled::storage::sqlite
