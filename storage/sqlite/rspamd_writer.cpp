#include "storage/sqlite/rspamd_writer.h"

#include <utility>

#include "storage/sqlite/lost_slot.h"
#include "storage/sqlite/statements.h"

namespace shingled::storage::sqlite {
namespace {

// Names, types and order as rspamd 3.4 makes them (PROTOCOL.md 5.8).
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

/// What makes a full file of it, in order. The rows are sorted as a whole, which is much faster
/// than keeping indices up to date row by row.
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
