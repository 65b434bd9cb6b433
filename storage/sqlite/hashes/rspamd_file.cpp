#include "storage/sqlite/hashes/rspamd_file.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "storage/sqlite/base/database.h"
#include "storage/sqlite/base/shingle_set.h"

namespace shingled::storage::sqlite {

namespace {

constexpr int kBusyWaitMs = 2'000;

enum DigestColumn : int { kId, kFlag, kDigest, kValue, kTime };
// A digest is 64 raw bytes with the type TEXT; NULL values occur (PROTOCOL.md 5.8).
constexpr const char* kDigests =
    "SELECT id, flag, CAST(digest AS BLOB), coalesce(value, 0), time FROM digests ORDER BY id";

enum SlotColumn : int { kDigestId, kNumber, kShingle };
constexpr const char* kSlots =
    "SELECT digest_id, number, value FROM shingles WHERE digest_id IS NOT NULL ORDER BY digest_id";

template <typename Int>
bool fits(std::int64_t value) {
  return value >= std::numeric_limits<Int>::min() && value <= std::numeric_limits<Int>::max();
}

/// Reads the row of a digest, without its shingles.
RspamdReader::Row row_of(const Statement& from) {
  RspamdReader::Row out;
  out.id = from.integer(kId);
  const BytesView digest = from.blob(kDigest);
  if (digest.size() != kDigestBytes) {
    out.problem = "the digest is " + std::to_string(digest.size()) + " bytes long, not 64";
  } else if (!fits<std::uint32_t>(from.integer(kFlag))) {
    out.problem = "flag " + from.text(kFlag) + " is out of range";
  } else if (from.is_null(kTime) || !fits<std::uint32_t>(from.integer(kTime))) {
    out.problem = "its time is missing or out of range";
  } else {
    std::memcpy(out.row.digest.bytes.data(), digest.data(), kDigestBytes);
    using Value = std::numeric_limits<std::int32_t>;
    const auto value = std::clamp<std::int64_t>(from.integer(kValue), Value::min(), Value::max());
    out.row.flags.add(
        {static_cast<std::uint32_t>(from.integer(kFlag)), static_cast<std::int32_t>(value)});
    out.row.updated = static_cast<std::uint32_t>(from.integer(kTime));
    out.row.created = out.row.updated;
  }
  return out;
}

/// Reads the slots of one digest after the other from the sorted list of all slots.
class SlotReader {
 public:
  explicit SlotReader(Statement statement) : statement_(std::move(statement)) {}

  Status begin() { return advance(); }

  Status read(RspamdReader::Row& row) {
    Shingles shingles{};
    for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
      shingles[slot] = lost_slot(row.row.digest, slot);
    }
    while (more_ && statement_.integer(kDigestId) <= row.id) {
      const std::int64_t number = statement_.integer(kNumber);
      if (statement_.integer(kDigestId) == row.id && number >= 0 &&
          number < static_cast<std::int64_t>(kShingleCount)) {
        shingles[static_cast<std::size_t>(number)] =
            static_cast<std::uint64_t>(statement_.integer(kShingle));
        ++row.slots;
      }
      if (Status next = advance(); !next) return next;
    }
    if (row.slots >= kMatchSlotsMin) row.row.shingles = shingles;
    return {};
  }

 private:
  Status advance() {
    const auto more = statement_.step();
    if (!more) return more.error();
    more_ = *more;
    return {};
  }

  Statement statement_;
  bool more_ = false;
};

}  // namespace

Result<std::unique_ptr<RspamdReader>> RspamdReader::open(const std::string& path) {
  auto database = Database::open(path, Database::Access::kReadOnly);
  if (!database) return database.error();
  (*database)->set_busy_timeout(kBusyWaitMs);
  const auto columns = (*database)->integer(
      "SELECT (SELECT count(*) FROM pragma_table_info('digests') WHERE name IN"
      " ('id', 'flag', 'digest', 'value', 'time')) +"
      " (SELECT count(*) FROM pragma_table_info('shingles') WHERE name IN"
      " ('value', 'number', 'digest_id'))");
  if (!columns) return columns.error();
  if (*columns != 8) {
    return Error{ErrorCode::kCorrupt, path + ": a database, but not one of rspamd's fuzzy storage"};
  }
  return std::unique_ptr<RspamdReader>(new RspamdReader(*std::move(database)));
}

Status RspamdReader::for_each(const std::function<bool(const Row&)>& each) {
  auto digests = database_->prepare(kDigests);
  if (!digests) return digests.error();
  auto slots = database_->prepare(kSlots);
  if (!slots) return slots.error();
  // The first statement that runs begins a transaction. It lasts as long as one of the statements
  // runs.
  auto more = digests->step();
  SlotReader reader(*std::move(slots));
  if (more && *more) {
    if (Status begun = reader.begin(); !begun) return begun;
  }
  while (more && *more) {
    Row row = row_of(*digests);
    if (Status read = reader.read(row); !read) return read;
    if (!each(row)) return {};
    more = digests->step();
  }
  if (!more) return more.error();
  return {};
}

namespace {

// Names, types and order as rspamd 3.4 creates them (PROTOCOL.md 5.8).
constexpr const char* kTables = R"sql(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -65536;
BEGIN;
CREATE TABLE digests (id INTEGER PRIMARY KEY, flag INTEGER NOT NULL, digest TEXT NOT NULL,
                      value INTEGER, time INTEGER);
CREATE TABLE shingles (value INTEGER NOT NULL, number INTEGER NOT NULL,
                       digest_id INTEGER REFERENCES digests(id) ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE sources (name TEXT UNIQUE, version INTEGER, last INTEGER);
)sql";

/// The steps that finish the file, in order. All rows are sorted at once, which is much faster than
/// updating indices with each row.
struct Finishing {
  std::string_view step;
  const char* sql;
};
constexpr Finishing kFinishing[] = {
    {"finding the owners of shingles", R"sql(
DELETE FROM shingles WHERE rowid IN (
  SELECT row FROM (
    SELECT rowid AS row,
           row_number() OVER (PARTITION BY value, number ORDER BY rowid DESC) AS place
    FROM shingles)
  WHERE place > 1))sql"},
    {"building index 1 of 4", "CREATE UNIQUE INDEX d ON digests(digest)"},
    {"building index 2 of 4", "CREATE INDEX t ON digests(time)"},
    {"building index 3 of 4", "CREATE INDEX dgst_id ON shingles(digest_id)"},
    {"building index 4 of 4", "CREATE UNIQUE INDEX s ON shingles(value, number)"},
    {"writing", "COMMIT"},
};

}  // namespace

struct RspamdWriter::Statements {
  Statement digest;
  Statement shingle;
};

RspamdWriter::RspamdWriter(std::unique_ptr<Database> database,
                           std::unique_ptr<Statements> statements)
    : database_(std::move(database)), statements_(std::move(statements)) {}

RspamdWriter::~RspamdWriter() = default;

Result<std::unique_ptr<RspamdWriter>> RspamdWriter::create(const std::string& path) {
  auto database = Database::open(path, Database::Access::kReadWrite);
  if (!database) return database.error();
  if (Status made = (*database)->execute(kTables); !made) return made.error();
  auto statements = prepare_all<Statements>(
      **database,
      {"INSERT INTO digests (id, flag, digest, value, time) VALUES (?, ?, CAST(? AS TEXT), ?, ?)",
       "INSERT INTO shingles (value, number, digest_id) VALUES (?, ?, ?)"});
  if (!statements) return statements.error();
  return std::unique_ptr<RspamdWriter>(
      new RspamdWriter(*std::move(database), std::make_unique<Statements>(*std::move(statements))));
}

Status RspamdWriter::insert(const FuzzyRow& row) {
  Status done = statements_->digest.bind(1, row.id)
                    .bind(2, row.flags.front().flag)
                    .bind(3, BytesView(row.digest.bytes))
                    .bind(4, row.flags.front().value)
                    .bind(5, row.updated)
                    .run();
  if (!done || !row.shingles) return done;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    const std::uint64_t shingle = (*row.shingles)[slot];
    if (shingle == lost_slot(row.digest, slot)) continue;
    done = statements_->shingle.bind(1, static_cast<std::int64_t>(shingle))
               .bind(2, static_cast<std::int64_t>(slot))
               .bind(3, row.id)
               .run();
    if (!done) return done;
  }
  return {};
}

Status RspamdWriter::finish(const Watcher& watcher) {
  for (const Finishing& next : kFinishing) {
    if (!watcher({next.step, 0, 0})) return stopped();
    if (Status done = database_->execute(next.sql); !done) return done;
  }
  return {};
}

}  // namespace shingled::storage::sqlite
