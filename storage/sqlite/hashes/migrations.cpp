#include "storage/sqlite/hashes/migrations.h"

#include <array>
#include <string>

namespace shingled::storage::sqlite {
namespace {

// The view turns the 8 little-endian bytes of each shingle into SQLite's signed integer. Plain SQL
// can do this only by hexadecimal digits: two per byte, looked up in '123456789ABCDEF' ('0' is not
// found, which gives 0).
constexpr const char* kVersion1 = R"sql(
CREATE TABLE digests (
  id INTEGER PRIMARY KEY,
  flag INTEGER NOT NULL,
  digest BLOB NOT NULL,
  value INTEGER NOT NULL,
  time INTEGER NOT NULL,
  created INTEGER NOT NULL,
  source INTEGER NOT NULL,
  shingle_set BLOB
);
CREATE TABLE extra_flags (
  digest_id INTEGER NOT NULL,
  flag INTEGER NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (digest_id, flag)
) WITHOUT ROWID;
CREATE VIEW shingles (value, number, digest_id) AS
  WITH RECURSIVE
    numbers (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < 31),
    bytes (byte) AS (SELECT 0 UNION ALL SELECT byte + 1 FROM bytes WHERE byte < 7)
  SELECT
    (SELECT sum(
       (instr('123456789ABCDEF', substr(hex(substr(shingle_set, number * 8 + byte + 1, 1)), 1, 1))
          << (byte * 8 + 4)) +
       (instr('123456789ABCDEF', substr(hex(substr(shingle_set, number * 8 + byte + 1, 1)), 2, 1))
          << (byte * 8)))
     FROM bytes),
    number,
    id
  FROM digests CROSS JOIN numbers
  WHERE shingle_set IS NOT NULL;
PRAGMA application_id = 1936222060;
PRAGMA user_version = 1;
)sql";
constexpr const char* kVersion2 = R"sql(
CREATE TABLE recent_updates (
  id INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  names BLOB NOT NULL
);
PRAGMA user_version = 2;
)sql";
constexpr const char* kVersion3 = R"sql(
CREATE TABLE stores (
  number INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE,
  era INTEGER NOT NULL,
  position INTEGER NOT NULL
);
CREATE TABLE parts (
  digest_id INTEGER NOT NULL,
  store INTEGER NOT NULL,
  flags BLOB NOT NULL,
  updated INTEGER NOT NULL,
  created INTEGER NOT NULL,
  source INTEGER NOT NULL,
  shingle_set BLOB,
  mark INTEGER NOT NULL,
  PRIMARY KEY (digest_id, store)
) WITHOUT ROWID;
CREATE TABLE journal (
  number INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  digest_id INTEGER NOT NULL,
  digest BLOB NOT NULL,
  store BLOB,
  flag INTEGER NOT NULL,
  created INTEGER NOT NULL
);
CREATE TABLE journal_eras (
  first INTEGER PRIMARY KEY,
  era INTEGER NOT NULL
);
CREATE TABLE takebacks (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL,
  store INTEGER NOT NULL,
  flag INTEGER NOT NULL,
  created INTEGER NOT NULL,
  UNIQUE (digest, store, flag)
);
PRAGMA user_version = 3;
)sql";
constexpr const char* kVersion4 = R"sql(
CREATE TABLE store_keys (
  store INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE
);
PRAGMA user_version = 4;
)sql";
constexpr const char* kVersion5 = R"sql(
CREATE TABLE sealed_updates (
  id INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  names BLOB NOT NULL
);
PRAGMA user_version = 5;
)sql";
constexpr const char* kVersion6 = R"sql(
ALTER TABLE digests ADD COLUMN companion BLOB;
PRAGMA user_version = 6;
)sql";
static_assert(kApplicationId == 1936222060, "the script must name the same number");

/// kMigrations[v] migrates from version v to v + 1.
constexpr std::array<const char*, kSchemaVersion> kMigrations = {kVersion1, kVersion2, kVersion3,
                                                                 kVersion4, kVersion5, kVersion6};

struct SchemaState {
  std::int64_t application_id = 0;
  std::int64_t version = 0;
  std::int64_t objects = 0;  ///< tables, indices, views
};

Result<SchemaState> read_state(Database& database) {
  const auto application_id = database.integer("PRAGMA application_id");
  if (!application_id) return application_id.error();
  const auto version = database.integer("PRAGMA user_version");
  if (!version) return version.error();
  const auto objects = database.integer("SELECT count(*) FROM sqlite_schema");
  if (!objects) return objects.error();
  return SchemaState{*application_id, *version, *objects};
}

Status check_state(const Database& database, const SchemaState& state) {
  if (state.application_id != kApplicationId) {
    return Error{ErrorCode::kCorrupt, database.path() +
                                          ": a database, but not one of shingled (application_id " +
                                          std::to_string(state.application_id) + ")"};
  }
  if (state.version > kSchemaVersion) {
    return Error{ErrorCode::kInvalid, database.path() + ": written by a newer version (schema " +
                                          std::to_string(state.version) + ", this program knows " +
                                          std::to_string(kSchemaVersion) + ")"};
  }
  return {};
}

}  // namespace

Status migrate(Database& database) {
  auto state = read_state(database);
  if (!state) return state.error();
  const bool empty = state->application_id == 0 && state->version == 0 && state->objects == 0;
  if (!empty) {
    if (Status ours = check_state(database, *state); !ours) return ours;
    if (state->version == kSchemaVersion) return {};
  } else if (Status mode = database.execute("PRAGMA auto_vacuum = INCREMENTAL"); !mode) {
    return mode;  // auto_vacuum can only be set while a file has no pages
  }
  auto transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  for (auto version = static_cast<std::size_t>(state->version); version < kMigrations.size();
       ++version) {
    if (Status done = database.execute(kMigrations[version]); !done) return done;
  }
  return transaction->commit();
}

Status check_schema(Database& database) {
  auto state = read_state(database);
  if (!state) return state.error();
  return check_state(database, *state);
}

}  // namespace shingled::storage::sqlite
