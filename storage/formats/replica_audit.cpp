#include "storage/formats/replica_audit.h"

#include <algorithm>
#include <array>

#include "storage/formats/row_audit.h"
#include "storage/model/replica.h"
#include "storage/sqlite/base/database.h"
#include "storage/sqlite/base/shingle_set.h"
#include "storage/sqlite/hashes/journal.h"
#include "storage/sqlite/hashes/part_table.h"

namespace shingled::storage::formats {
namespace {

static_assert(sqlite::kStoresMax == 64 && sqlite::kTakebacksMax == 65'536,
              "the queries below contain these numbers");

/// The checks that SQL can do alone. Each query returns rows of (where, what).
constexpr std::array kLaws = {
    "SELECT 'stores row ' || number, CASE"
    " WHEN number NOT BETWEEN 0 AND 64 THEN 'number is out of range'"
    " WHEN typeof(id) <> 'blob' OR length(id) <> 16 THEN 'its name is not 16 bytes'"
    " ELSE 'a column has the wrong type' END FROM stores"
    " WHERE number NOT BETWEEN 0 AND 64 OR typeof(id) <> 'blob' OR length(id) <> 16"
    " OR typeof(era) <> 'integer' OR typeof(position) <> 'integer'",

    "SELECT 'journal row ' || number, CASE"
    " WHEN number < 1 THEN 'number is out of range'"
    " WHEN typeof(digest) <> 'blob' OR length(digest) <> 64 THEN 'digest is not 64 bytes'"
    " WHEN typeof(time) <> 'integer' OR time NOT BETWEEN 0 AND 4294967295"
    " THEN 'time is out of range'"
    " WHEN typeof(digest_id) <> 'integer' OR digest_id < -1 THEN 'digest_id is out of range'"
    " WHEN digest_id > 0 THEN 'a change of an own part names a store, a flag or a time'"
    " ELSE 'a takeback or its answer needs one store, one flag and one time' END FROM journal"
    " WHERE number < 1 OR typeof(digest) <> 'blob' OR length(digest) <> 64"
    " OR typeof(time) <> 'integer' OR time NOT BETWEEN 0 AND 4294967295"
    " OR typeof(digest_id) <> 'integer' OR digest_id < -1"
    " OR (digest_id > 0 AND (store IS NOT NULL OR flag IS NOT 0 OR created IS NOT 0))"
    " OR (digest_id <= 0 AND (typeof(store) <> 'blob' OR length(store) <> 16"
    "  OR typeof(flag) <> 'integer' OR flag NOT BETWEEN 0 AND 4294967295"
    "  OR typeof(created) <> 'integer' OR created NOT BETWEEN 0 AND 4294967295))",

    "SELECT 'journal_eras row ' || first, 'it has no era, or begins before the journal'"
    " FROM journal_eras WHERE first < 0 OR typeof(era) <> 'integer' OR era = 0",
    "SELECT 'journal', 'its oldest entry is in no era' WHERE"
    " (SELECT min(number) FROM journal) < coalesce((SELECT min(first) FROM journal_eras), 1 << 62)",
    "SELECT 'journal', 'this store has no name' WHERE EXISTS (SELECT 1 FROM journal)"
    " AND NOT EXISTS (SELECT 1 FROM stores WHERE number = 0)",

    "SELECT 'takebacks row ' || takebacks.id, CASE"
    " WHEN typeof(digest) <> 'blob' OR length(digest) <> 64 THEN 'digest is not 64 bytes'"
    " WHEN store = 0 THEN 'asks this store itself'"
    " WHEN number IS NULL THEN 'there is no such store'"
    " ELSE 'flag or created is out of range' END"
    " FROM takebacks LEFT JOIN stores ON number = store"
    " WHERE typeof(digest) <> 'blob' OR length(digest) <> 64 OR store = 0 OR number IS NULL"
    " OR typeof(flag) <> 'integer' OR flag NOT BETWEEN 0 AND 4294967295"
    " OR typeof(created) <> 'integer' OR created NOT BETWEEN 0 AND 4294967295",
    "SELECT 'takebacks', 'more than 65536' WHERE (SELECT count(*) FROM takebacks) > 65536",

    "SELECT 'parts row (' || digest_id || ', ' || parts.store || ')', CASE"
    " WHEN digests.id IS NULL THEN 'there is no such row in digests'"
    " WHEN stores.number IS NULL THEN 'there is no such store'"
    " ELSE 'a column has the wrong type' END FROM parts"
    " LEFT JOIN digests ON digests.id = digest_id LEFT JOIN stores ON stores.number = parts.store"
    " WHERE digests.id IS NULL OR (stores.number IS NULL AND parts.store <> 0)"
    " OR typeof(digest_id) <> 'integer' OR typeof(parts.store) <> 'integer'"
    " OR typeof(flags) <> 'blob' OR typeof(parts.updated) <> 'integer'"
    " OR typeof(parts.created) <> 'integer' OR typeof(parts.source) <> 'integer'"
    " OR typeof(parts.shingle_set) NOT IN ('blob', 'null') OR typeof(mark) <> 'integer'"
    " OR mark NOT BETWEEN 0 AND 4294967295",
    // If only this store has a part, the row in `digests` is enough.
    "SELECT 'parts of digests row ' || digest_id, 'no other store has a part'"
    " FROM parts GROUP BY digest_id HAVING max(store) = 0",
};

/// For schema version 4 and later.
constexpr const char* kKeyLaw =
    "SELECT 'store_keys row ' || store, CASE WHEN number IS NULL THEN 'there is no such store'"
    " ELSE 'its key is not 32 bytes, or is of this store itself' END"
    " FROM store_keys LEFT JOIN stores ON number = store"
    " WHERE number IS NULL OR store = 0 OR typeof(key) <> 'blob' OR length(key) <> 32";

enum Column : int {
  kId,
  kFlag,
  kValue,
  kTime,
  kCreated,
  kSource,
  kSet,
  kPart,  ///< from here on in the order of read_part
  kPartFlags = kPart + 1,
  kPartUpdated = kPart + 2,
  kPartCreated = kPart + 3,
};
constexpr const char* kParts =
    "SELECT digests.id, flag, value, time, digests.created, digests.source, digests.shingle_set,"
    " store, flags, updated, parts.created, parts.source, parts.shingle_set, mark"
    " FROM parts JOIN digests ON digests.id = digest_id ORDER BY digest_id, store";
constexpr const char* kLists = "SELECT flag, value FROM extra_flags WHERE digest_id = ?";

/// A takeback hides a list of a part that came with the journal (mark = 0) until it is answered.
/// The order of the joins is that of the indices.
constexpr const char* kHidden =
    "SELECT flags, takebacks.flag, 'takebacks row ' || takebacks.id FROM parts"
    " CROSS JOIN digests ON digests.id = digest_id CROSS JOIN takebacks"
    " ON takebacks.digest = digests.digest AND takebacks.store = parts.store WHERE mark = 0";

bool is_time(std::int64_t value) { return value >= 0 && value <= UINT32_MAX; }

/// The flags of a part, in the order in which they are stored. (`read_part` sorts them.)
std::vector<FlagValue> raw_flags(BytesView bytes) {
  std::vector<FlagValue> flags;
  ByteReader reader(bytes);
  while (reader.left() >= 8) {
    const std::uint32_t flag = reader.u32();
    flags.push_back({flag, reader.i32()});
  }
  return flags;
}

}  // namespace

void ReplicaAudit::problem(const std::string& where, std::string_view what) {
  note_problem(report_, where + ": " + std::string(what));
}

Status ReplicaAudit::run(const Watcher& watcher) {
  const auto there = database_.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'parts'");
  if (!there) return there.error();
  if (*there == 0) return {};  // older than schema version 3
  for (const char* law : kLaws) {
    if (!watcher({"reading the replication tables", 0, 0})) return stopped();
    if (Status read = note_rows(law); !read) return read;
  }
  const auto keys =
      database_.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'store_keys'");
  if (!keys) return keys.error();
  if (*keys != 0) {
    if (Status read = note_rows(kKeyLaw); !read) return read;
  }
  if (Status read = judge_parts(watcher); !read) return read;
  auto hidden = database_.prepare(kHidden);
  if (!hidden) return hidden.error();
  return sqlite::for_each_row(*hidden, [&](const sqlite::Statement& row) {
    const auto flag = static_cast<std::uint32_t>(row.integer(1));
    const auto flags = raw_flags(row.blob(0));
    if (flag == 0 || std::ranges::find(flags, flag, &FlagValue::flag) != flags.end()) {
      problem(row.text(2), "does not hide the lists that it asks to delete");
    }
  });
}

Status ReplicaAudit::note_rows(const char* query) {
  auto rows = database_.prepare(query);
  if (!rows) return rows.error();
  return sqlite::for_each_row(
      *rows, [&](const sqlite::Statement& row) { problem(row.text(0), row.text(1)); });
}

Status ReplicaAudit::judge_parts(const Watcher& watcher) {
  auto rows = database_.prepare(kParts);
  if (!rows) return rows.error();
  auto lists = database_.prepare(kLists);
  if (!lists) return lists.error();
  const auto total = database_.integer("SELECT count(*) FROM parts");
  if (!total) return total.error();
  Whole whole;
  std::vector<sqlite::StoredPart> parts;
  for (std::uint64_t done = 0;; ++done) {
    const auto more = rows->step();
    if (!more) return more.error();
    if (!*more || rows->integer(kId) != whole.id) {
      judge_whole(whole, parts);
      parts.clear();
      if (!*more) return {};
      if (Status read = begin_row(*lists, *rows, whole); !read) return read;
    }
    judge_part(*rows, whole, parts);
    if (done % kWatchEvery == 0 &&
        !watcher({"reading parts", done, static_cast<std::uint64_t>(*total)})) {
      return stopped();
    }
  }
}

Status ReplicaAudit::begin_row(sqlite::Statement& lists, const sqlite::Statement& row,
                               Whole& whole) {
  whole = {};
  whole.id = row.integer(kId);
  const auto add = [&](std::int64_t flag, std::int64_t value) {
    whole.part.flags.add({static_cast<std::uint32_t>(flag), static_cast<std::int32_t>(value)});
  };
  add(row.integer(kFlag), row.integer(kValue));
  whole.part.updated = static_cast<std::uint32_t>(row.integer(kTime));
  whole.part.created = static_cast<std::uint32_t>(row.integer(kCreated));
  whole.part.source = static_cast<std::uint64_t>(row.integer(kSource));
  whole.readable = row.is_null(kSet) || row.blob(kSet).size() == sqlite::kShingleSetBytes;
  if (!row.is_null(kSet) && whole.readable)
    whole.part.shingles = sqlite::decode_shingles(row.blob(kSet));
  return sqlite::for_each_row(lists.bind(1, whole.id), [&](const sqlite::Statement& list) {
    add(list.integer(0), list.integer(1));
  });
}

void ReplicaAudit::judge_part(const sqlite::Statement& row, const Whole& whole,
                              std::vector<sqlite::StoredPart>& parts) {
  const std::string where = "parts row (" + std::to_string(whole.id) + ", " + row.text(kPart) + ")";
  auto stored = sqlite::read_part(database_, row, kPart, whole.id, whole.part.shingles);
  if (!stored) {
    problem(where, "flags or shingle_set has a wrong length");
    parts.clear();
    parts.push_back({-1, {}, 0});  // the sum cannot be checked
    return;
  }
  const auto flags = raw_flags(row.blob(kPartFlags));
  if (!std::ranges::equal(flags, stored->part.flags.all())) {
    problem(where, "its flags are not sorted, or one is there twice");
  }
  judge_times(where, row);
  if (parts.empty() || parts.front().store >= 0) parts.push_back(*std::move(stored));
}

void ReplicaAudit::judge_times(const std::string& where, const sqlite::Statement& row) {
  const std::int64_t updated = row.integer(kPartUpdated);
  const std::int64_t created = row.integer(kPartCreated);
  if (!is_time(updated) || !is_time(created)) {
    return problem(where, "updated or created is out of range");
  }
  // Times like these come from a wrong clock, here or at the master.
  const auto warning = [&](const char* what) { note_warning(report_, where + ": " + what); };
  if (updated == 0 || created == 0) warning("updated or created is 0");
  if (created > updated) warning("created is after updated");
  if (updated > std::int64_t{options_.now} + kClockSkewSeconds) warning("updated is in the future");
}

void ReplicaAudit::judge_whole(const Whole& whole, const std::vector<sqlite::StoredPart>& parts) {
  if (parts.empty() || parts.front().store < 0 || !whole.readable) return;
  std::vector<const Part*> all;
  all.reserve(parts.size());
  for (const sqlite::StoredPart& stored : parts) all.push_back(&stored.part);
  Part stored = whole.part;
  stored.created = std::min(stored.created, stored.updated);  // `merge` limits it the same way
  if (!(merge(all) == stored)) {
    problem("digests row " + std::to_string(whole.id), "is not the sum of its parts");
  }
}

}  // namespace shingled::storage::formats
