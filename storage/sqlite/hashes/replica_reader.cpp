#include "storage/sqlite/hashes/replica_reader.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "storage/sqlite/base/database.h"
#include "storage/sqlite/base/shingle_set.h"
#include "storage/sqlite/hashes/journal.h"
#include "storage/sqlite/hashes/migrations.h"
#include "storage/sqlite/hashes/part_table.h"

namespace shingled::storage::sqlite {
namespace {

constexpr int kBusyWaitMs = 2'000;
constexpr const char* kBadDigest = "a digest is not 64 bytes";

Error bad(const Database& database, const char* what) {
  return {ErrorCode::kCorrupt, database.path() + ": " + what};
}

Result<std::optional<Shingles>> shingles_from(const Database& database, const Statement& row,
                                              int column) {
  if (row.is_null(column)) return std::optional<Shingles>();
  const BytesView set = row.blob(column);
  if (set.size() != kShingleSetBytes) return bad(database, "a shingle_set is not 256 bytes");
  return std::optional(decode_shingles(set));
}

}  // namespace

struct ReplicaReader::Statements {
  Statement row;      // of one digest
  Statement rows;     // of many digests
  Statement flags;    // the further lists of a digest
  Statement parts;    // the parts of a digest
  Statement foreign;  // the parts of one store
  Statement entries;  // of the journal
  Statement era;      // the era of a number
  Statement takebacks;
  Statement position;

  static Result<Statements> prepare(Database& database);
};

Result<ReplicaReader::Statements> ReplicaReader::Statements::prepare(Database& database) {
  return prepare_all<Statements>(
      database,
      {"SELECT id, flag, digest, value, time, created, source, shingle_set FROM digests "
       "WHERE id = ?",
       "SELECT id, flag, digest, value, time, created, source, shingle_set FROM digests "
       "WHERE id > ? ORDER BY id LIMIT ?",
       "SELECT flag, value FROM extra_flags WHERE digest_id = ?",
       "SELECT store, flags, updated, created, source, shingle_set, mark FROM parts "
       "WHERE digest_id = ? ORDER BY store",
       "SELECT digest_id, parts.store, flags, updated, parts.created, parts.source, "
       "parts.shingle_set, mark, digest, digests.shingle_set FROM parts "
       "JOIN digests ON digests.id = digest_id JOIN stores ON number = parts.store "
       "WHERE stores.id = ? AND digest_id > ? ORDER BY digest_id LIMIT ?",
       "SELECT number, time, digest_id, digest, store, flag, created FROM journal "
       "WHERE number > ? ORDER BY number LIMIT ?",
       "SELECT era FROM journal_eras WHERE first <= ? ORDER BY first DESC LIMIT 1",
       "SELECT takebacks.id, digest, stores.id, flag, created FROM takebacks "
       "JOIN stores ON number = store WHERE takebacks.id > ? ORDER BY takebacks.id LIMIT ?",
       "SELECT era, position FROM stores WHERE id = ? AND number <> 0"});
}

/// A read transaction: all reads see one moment of the file. Its end also resets all statements.
class ReplicaReader::Moment {
 public:
  explicit Moment(ReplicaReader& reader) : reader_(reader) {
    (void)reader_.database_->execute("BEGIN");
  }
  ~Moment() {
    Statements& all = *reader_.statements_;
    for (Statement* one : {&all.row, &all.rows, &all.flags, &all.parts, &all.foreign, &all.entries,
                           &all.era, &all.takebacks, &all.position}) {
      one->reset();
    }
    (void)reader_.database_->execute("COMMIT");
  }
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;
  Moment(Moment&&) = delete;
  Moment& operator=(Moment&&) = delete;

 private:
  ReplicaReader& reader_;
};

ReplicaReader::ReplicaReader(std::unique_ptr<Database> database,
                             std::unique_ptr<Statements> statements)
    : database_(std::move(database)), statements_(std::move(statements)) {}
ReplicaReader::~ReplicaReader() = default;

Result<std::unique_ptr<ReplicaReader>> ReplicaReader::open(const std::string& path) {
  auto database = Database::open(path, Database::Access::kReadOnly);
  if (!database) return database.error();
  (*database)->set_busy_timeout(kBusyWaitMs);
  if (Status ours = check_schema(**database); !ours) return ours.error();
  auto statements = Statements::prepare(**database);
  if (!statements) return statements.error();
  return std::unique_ptr<ReplicaReader>(new ReplicaReader(
      *std::move(database), std::make_unique<Statements>(*std::move(statements))));
}

Result<std::optional<StoreId>> ReplicaReader::self() {
  auto row = database_->prepare("SELECT id FROM stores WHERE number = 0");
  if (!row) return row.error();
  const auto there = row->step();
  if (!there) return there.error();
  if (!*there) return std::optional<StoreId>();
  StoreId id{};
  if (!row->copy_blob(0, id)) return bad(*database_, "a store's id is not 16 bytes");
  return std::optional(id);
}

Result<std::vector<ReplicaReader::Known>> ReplicaReader::stores() {
  const auto has_keys =
      database_->integer("SELECT count(*) FROM sqlite_schema WHERE name = 'store_keys'");
  if (!has_keys) return has_keys.error();
  const std::string key =
      *has_keys != 0 ? "(SELECT key FROM store_keys WHERE store = number)" : "NULL";
  const std::string text = "SELECT number, id, era, " + key +
                           ", (SELECT count(*) FROM parts WHERE parts.store = number) FROM stores "
                           "ORDER BY number";
  auto rows = database_->prepare(text.c_str());
  if (!rows) return rows.error();
  std::vector<Known> stores;
  Status read = for_each_row(*rows, [&](const Statement& row) -> Status {
    Known& known = stores.emplace_back();
    known.number = row.integer(0);
    known.whole = row.integer(2) != 0;
    known.parts = static_cast<std::uint64_t>(row.integer(4));
    const bool good =
        row.copy_blob(1, known.id) && (row.is_null(3) || row.copy_blob(3, known.key.emplace()));
    return good ? Status() : Status(bad(*database_, "stores: an id or a key of the wrong length"));
  });
  if (!read) return read.error();
  return stores;
}

Result<bool> ReplicaReader::is_known(const StoreId& master, const StoreKey& key) {
  auto row = database_->prepare(
      "SELECT 1 FROM stores JOIN store_keys ON store = number WHERE id = ? AND key = ?");
  if (!row) return row.error();
  return row->bind(1, BytesView(master)).bind(2, BytesView(key)).step();
}

Result<std::uint64_t> ReplicaReader::era_of(std::uint64_t number) {
  Statement& era = statements_->era.bind(1, static_cast<std::int64_t>(number));
  const auto there = era.step();
  if (!there) return there.error();
  const auto value = *there ? static_cast<std::uint64_t>(era.integer(0)) : 0;
  era.reset();
  return value;
}

Result<JournalPosition> ReplicaReader::end() {
  const Moment moment(*this);
  return end_now();
}

Result<JournalPosition> ReplicaReader::end_now() {
  const auto last = database_->integer(kJournalEnd);
  if (!last) return last.error();
  const auto number = static_cast<std::uint64_t>(*last);
  const auto era = era_of(number);
  if (!era) return era.error();
  return JournalPosition{*era, number};
}

Result<bool> ReplicaReader::covers(const JournalPosition& position) {
  const Moment moment(*this);
  return covers_now(position);
}

Result<bool> ReplicaReader::covers_now(const JournalPosition& position) {
  const auto last = end_now();
  if (!last) return last.error();
  if (position.era == 0 || position.number > last->number) return false;
  const auto era = era_of(position.number);
  if (!era) return era.error();
  if (*era != position.era) return false;
  if (position.number == last->number) return true;
  // An empty journal has no smallest number, and does not hold what came after that position.
  const auto first = database_->integer("SELECT coalesce(min(number), 0) FROM journal");
  if (!first) return first.error();
  return *first > 0 && static_cast<std::uint64_t>(*first) <= position.number + 1;
}

Result<Part> ReplicaReader::own_part(const Digest& digest, std::int64_t id) {
  Statement& row = statements_->row.bind(1, id);
  const auto there = row.step();
  if (!there) return there.error();
  Result<Part> part = Part{};
  if (*there && std::ranges::equal(row.blob(2), digest.bytes)) part = own_part_of(row);
  row.reset();
  return part;
}

Result<Part> ReplicaReader::own_part_of(const Statement& row) {
  const std::int64_t id = row.integer(0);
  Part part;
  part.flags.add(
      {static_cast<std::uint32_t>(row.integer(1)), static_cast<std::int32_t>(row.integer(3))});
  part.updated = static_cast<std::uint32_t>(row.integer(4));
  part.created = static_cast<std::uint32_t>(row.integer(5));
  part.source = static_cast<std::uint64_t>(row.integer(6));
  auto shingles = shingles_from(*database_, row, 7);
  if (!shingles) return shingles.error();
  part.shingles = *std::move(shingles);
  // If other stores have parts, our own part is among them, or there is none.
  Statement& parts = statements_->parts.bind(1, id);
  const auto shared = parts.step();
  if (!shared) return shared.error();
  if (*shared) {
    Result<Part> own = Part{};
    if (parts.integer(0) == 0) {
      auto stored = read_part(*database_, parts, 0, id, part.shingles);
      if (stored) {
        own = stored->part;
      } else {
        own = stored.error();
      }
    }
    parts.reset();
    return own;
  }
  parts.reset();
  Status read = for_each_row(statements_->flags.bind(1, id), [&](const Statement& list) {
    part.flags.add(
        {static_cast<std::uint32_t>(list.integer(0)), static_cast<std::int32_t>(list.integer(1))});
  });
  if (!read) return read.error();
  return part;
}

Result<std::optional<ReplicaReader::Entries>> ReplicaReader::entries(const JournalPosition& after,
                                                                     std::size_t most) {
  const Moment moment(*this);
  const auto covered = covers_now(after);
  if (!covered) return covered.error();
  if (!*covered) return std::optional<Entries>();
  Entries found;
  found.end = after;
  Statement& rows = statements_->entries.bind(1, static_cast<std::int64_t>(after.number))
                        .bind(2, static_cast<std::int64_t>(most));
  std::unordered_set<Digest, DigestHash> told;
  Status read = for_each_row(rows, [&](const Statement& row) -> Status {
    found.end.number = static_cast<std::uint64_t>(row.integer(0));
    found.time = static_cast<std::uint32_t>(row.integer(1));
    Digest digest;
    if (!row.copy_blob(3, digest.bytes)) return bad(*database_, "journal: not a valid digest");
    if (!row.is_null(4)) {
      Takeback asked{digest,
                     {},
                     static_cast<std::uint32_t>(row.integer(5)),
                     static_cast<std::uint32_t>(row.integer(6))};
      if (!row.copy_blob(4, asked.owner)) return bad(*database_, "journal: not a valid store");
      if (row.integer(2) == kAskedEntry) {
        found.records.emplace_back(asked);
      } else {
        found.records.emplace_back(TakebackAnswer{digest, asked.owner, asked.flag});
        told.erase(digest);  // the next entry of this digest is sent again
      }
      return {};
    }
    auto part = own_part(digest, row.integer(2));
    if (!part) return part.error();
    // Of two entries of a digest, the later one names the right row; an earlier one may name a row
    // that was deleted.
    if (part->flags.empty() || told.insert(digest).second) {
      found.records.emplace_back(PartRecord{digest, *std::move(part)});
    }
    return {};
  });
  if (!read) return read.error();
  const auto era = era_of(found.end.number);
  if (!era) return era.error();
  found.end.era = *era;
  return std::optional(std::move(found));
}

Result<std::optional<std::uint32_t>> ReplicaReader::time_after(std::uint64_t number) {
  const Moment moment(*this);
  Statement& rows =
      statements_->entries.bind(1, static_cast<std::int64_t>(number)).bind(2, std::int64_t{1});
  const auto there = rows.step();
  if (!there) return there.error();
  if (!*there) return std::optional<std::uint32_t>();
  return std::optional(static_cast<std::uint32_t>(rows.integer(1)));
}

Result<ReplicaReader::Slice> ReplicaReader::own_parts(std::int64_t after, std::int64_t most) {
  const Moment moment(*this);
  Slice slice;
  slice.next = after;
  std::int64_t looks = 0;
  Statement& rows = statements_->rows.bind(1, after).bind(2, most);
  Status read = for_each_row(rows, [&](const Statement& row) -> Status {
    ++looks;
    slice.next = row.integer(0);
    PartRecord record;
    if (!row.copy_blob(2, record.digest.bytes)) return bad(*database_, kBadDigest);
    auto part = own_part_of(row);
    if (!part) return part.error();
    if (part->flags.empty()) return {};
    record.part = *part;
    slice.records.push_back(record);
    return {};
  });
  if (!read) return read.error();
  slice.ended = looks < most;
  return slice;
}

Result<ReplicaReader::Asked> ReplicaReader::takebacks(std::int64_t after, std::int64_t most) {
  const Moment moment(*this);
  Asked asked;
  asked.next = after;
  Statement& rows = statements_->takebacks.bind(1, after).bind(2, most);
  Status read = for_each_row(rows, [&](const Statement& row) -> Status {
    asked.next = row.integer(0);
    Takeback one;
    if (!row.copy_blob(1, one.digest.bytes) || !row.copy_blob(2, one.owner)) {
      return bad(*database_, "takebacks: not a valid digest or store");
    }
    one.flag = static_cast<std::uint32_t>(row.integer(3));
    one.created = static_cast<std::uint32_t>(row.integer(4));
    asked.takebacks.push_back(one);
    return {};
  });
  if (!read) return read.error();
  asked.ended = static_cast<std::int64_t>(asked.takebacks.size()) < most;
  return asked;
}

Result<std::optional<JournalPosition>> ReplicaReader::position_of(const StoreId& master) {
  const Moment moment(*this);
  Statement& row = statements_->position.bind(1, BytesView(master));
  const auto there = row.step();
  if (!there) return there.error();
  if (!*there || row.integer(0) == 0) return std::optional<JournalPosition>();
  return std::optional(JournalPosition{static_cast<std::uint64_t>(row.integer(0)),
                                       static_cast<std::uint64_t>(row.integer(1))});
}

Result<ReplicaReader::Slice> ReplicaReader::parts_of(const StoreId& master, std::int64_t after,
                                                     std::int64_t most) {
  const Moment moment(*this);
  Slice slice;
  slice.next = after;
  Statement& rows = statements_->foreign.bind(1, BytesView(master)).bind(2, after).bind(3, most);
  Status read = for_each_row(rows, [&](const Statement& row) -> Status {
    slice.next = row.integer(0);
    auto shingles = shingles_from(*database_, row, 9);
    if (!shingles) return shingles.error();
    auto stored = read_part(*database_, row, 1, slice.next, *shingles);
    if (!stored) return stored.error();
    PartRecord record;
    if (!row.copy_blob(8, record.digest.bytes)) return bad(*database_, kBadDigest);
    record.part = stored->part;
    slice.records.push_back(record);
    slice.marks.push_back(stored->mark);
    return {};
  });
  if (!read) return read.error();
  slice.ended = static_cast<std::int64_t>(slice.records.size()) < most;
  return slice;
}

}  // namespace shingled::storage::sqlite
