#include "storage/sqlite/reports/case_index.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "storage/model/fuzzy_store.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

namespace {

std::int64_t signed_shingle(std::uint64_t shingle) { return static_cast<std::int64_t>(shingle); }

/// Another hash with equal slots.
struct Candidate {
  std::size_t slots = 0;
  std::int64_t hash = 0;
  /// The most similar first, of these the newest.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::tie(b.slots, b.hash) < std::tie(a.slots, a.hash);
  }
};

/// Those that are there for so many slots that they match. `found`: once for each equal slot.
std::vector<Candidate> matching_among(std::vector<std::int64_t> found) {
  std::ranges::sort(found);
  std::vector<Candidate> out;
  for (auto first = found.begin(); first != found.end();) {
    const auto last = std::find_if(first, found.end(), [&](auto hash) { return hash != *first; });
    const auto slots = static_cast<std::size_t>(last - first);
    if (slots >= kMatchSlotsMin) out.push_back({slots, *first});
    first = last;
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

const char* const CaseIndex::kTables =
    "CREATE TABLE slots (shingle INTEGER, slot INTEGER, hash INTEGER,"
    " PRIMARY KEY (shingle, slot, hash)) WITHOUT ROWID;"
    "CREATE TABLE pairs (hash INTEGER, other INTEGER, PRIMARY KEY (hash, other)) WITHOUT ROWID;";

Result<CaseIndex> CaseIndex::open(Database& database) {
  auto statements = prepare_all<Statements>(
      database,
      {"INSERT OR IGNORE INTO slots VALUES (?1, ?2, ?3)",
       "DELETE FROM slots WHERE shingle = ?1 AND slot = ?2 AND hash = ?3",
       // The table is a list by shingle, slot and hash, so the newest are its end.
       "SELECT hash FROM slots WHERE shingle = ?1 AND slot = ?2 ORDER BY hash DESC LIMIT " +
           std::to_string(kSlotHashesMax),
       "SELECT flag FROM hashes WHERE id = ?1",
       "INSERT OR IGNORE INTO pairs VALUES (?1, ?2), (?2, ?1)",
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
  std::vector<std::int64_t> found;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    statements_.equal_slots.bind(1, signed_shingle(shingles[slot]))
        .bind(2, static_cast<std::int64_t>(slot));
    Status done = for_each_row(statements_.equal_slots, [&](const Statement& row) {
      if (row.integer(0) != hash) found.push_back(row.integer(0));
    });
    if (!done) return done;
  }
  std::size_t pairs = 0;
  for (const Candidate& other : matching_among(std::move(found))) {
    bool same_list = false;
    Status done = for_each_row(statements_.list.bind(1, other.hash), [&](const Statement& row) {
      same_list = row.integer(0) == std::int64_t{flag};
    });
    if (done && same_list) done = statements_.put_pair.bind(1, hash).bind(2, other.hash).run();
    if (!done) return done;
    if (same_list && ++pairs == kPairsMax) break;
  }
  return {};
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
