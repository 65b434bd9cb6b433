#include "storage/sqlite/hashes/fuzzy_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "storage/sqlite/base/database.h"
#include "storage/sqlite/base/shingle_set.h"
#include "storage/sqlite/hashes/migrations.h"

namespace shingled::storage::sqlite {
namespace {

constexpr int kBusyTimeoutMs = 2'000;  ///< a reader or a tool may hold the file for a while

Error bad_row(const Database& database, std::int64_t id, const char* what) {
  return {ErrorCode::kCorrupt,
          database.path() + ": digests row " + std::to_string(id) + ": " + what};
}

Result<std::optional<Shingles>> shingles_of(const Database& database, const Statement& row,
                                            int column, std::int64_t id) {
  if (row.is_null(column)) return std::optional<Shingles>();
  const BytesView bytes = row.blob(column);
  if (bytes.size() != kShingleSetBytes) {
    return bad_row(database, id, "shingle_set is not 256 bytes");
  }
  return std::optional(decode_shingles(bytes));
}

// The columns of kSelect.
enum Column : int { kId, kFlag, kDigest, kValue, kTime, kCreated, kSource, kShingleSet };
constexpr const char* kSelect =
    "SELECT id, flag, digest, value, time, created, source, shingle_set FROM digests ORDER BY id";
constexpr const char* kSelectOne =
    "SELECT id, flag, digest, value, time, created, source, shingle_set FROM digests WHERE id = ?";

constexpr const char* kLastId =
    "SELECT max(coalesce((SELECT max(id) FROM digests), 0),"
    " coalesce((SELECT max(digest_id) FROM extra_flags), 0),"
    " coalesce((SELECT max(digest_id) FROM parts), 0))";

template <typename Int>
bool fits(std::int64_t value) {
  return value >= std::numeric_limits<Int>::min() && value <= std::numeric_limits<Int>::max();
}

Result<FlagValue> flag_of(const Database& database, const Statement& from, std::int64_t id,
                          int flag, int value) {
  if (!fits<std::uint32_t>(from.integer(flag)))
    return bad_row(database, id, "a flag is out of range");
  if (!fits<std::int32_t>(from.integer(value)))
    return bad_row(database, id, "a value is out of range");
  return FlagValue{static_cast<std::uint32_t>(from.integer(flag)),
                   static_cast<std::int32_t>(from.integer(value))};
}

/// Reads a row of (digest_id, flag, value).
Status add_extra_flag(const Database& database, const Statement& from, FuzzyRow& row) {
  const auto flag = flag_of(database, from, row.id, 1, 2);
  if (!flag) return flag.error();
  row.flags.add(*flag);
  return {};
}

Result<FuzzyRow> row_of(const Database& database, const Statement& from) {
  FuzzyRow row;
  row.id = from.integer(kId);
  if (row.id < 1 || row.id > kRowIdMax) return bad_row(database, row.id, "its id is out of range");
  if (!from.copy_blob(kDigest, row.digest.bytes)) {
    return bad_row(database, row.id, "digest is not 64 bytes");
  }
  const auto flag = flag_of(database, from, row.id, kFlag, kValue);
  if (!flag) return flag.error();
  row.flags.add(*flag);
  if (!fits<std::uint32_t>(from.integer(kTime)) || !fits<std::uint32_t>(from.integer(kCreated))) {
    return bad_row(database, row.id, "time or created is out of range");
  }
  row.updated = static_cast<std::uint32_t>(from.integer(kTime));
  row.created = static_cast<std::uint32_t>(from.integer(kCreated));
  row.source = static_cast<std::uint64_t>(from.integer(kSource));
  auto shingles = shingles_of(database, from, kShingleSet, row.id);
  if (!shingles) return shingles.error();
  row.shingles = *std::move(shingles);
  return row;
}

Status configure_writer(Database& database, Durability durability) {
  database.set_busy_timeout(kBusyTimeoutMs);
  if (Status wal = database.execute("PRAGMA journal_mode = WAL"); !wal) return wal;
  return database.execute(durability == Durability::kNormal ? "PRAGMA synchronous = NORMAL"
                                                            : "PRAGMA synchronous = FULL");
}

}  // namespace

struct FuzzyTable::Statements {
  Statement insert;
  Statement update;
  Statement update_shingles;
  Statement forget_source;
  Statement set_companion;
  Statement companion;
  Statement remove;
  Statement insert_flag;
  Statement remove_flags;
  Statement select;
  Statement select_flags;

  static Result<Statements> prepare(Database& database);
};

Result<FuzzyTable::Statements> FuzzyTable::Statements::prepare(Database& database) {
  return prepare_all<Statements>(
      database, {"INSERT INTO digests (flag, digest, value, time, created, source, shingle_set) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?)",
                 "UPDATE digests SET flag = ?1, value = ?2, time = ?3, created = ?4, "
                 "source = CASE ?5 WHEN 0 THEN source ELSE ?5 END WHERE id = ?6 AND digest = ?7",
                 "UPDATE digests SET shingle_set = ? WHERE id = ?",
                 "UPDATE digests SET source = 0 WHERE id = ?",
                 "UPDATE digests SET companion = ? WHERE id = ?",
                 "SELECT companion FROM digests WHERE id = ?",
                 "DELETE FROM digests WHERE id = ? AND digest = ? RETURNING shingle_set",
                 "INSERT INTO extra_flags (digest_id, flag, value) VALUES (?, ?, ?)",
                 "DELETE FROM extra_flags WHERE digest_id = ?", kSelectOne,
                 "SELECT digest_id, flag, value FROM extra_flags WHERE digest_id = ?"});
}

FuzzyTable::FuzzyTable(std::optional<FileLock> lock, std::unique_ptr<Database> database)
    : lock_(std::move(lock)), database_(std::move(database)) {}

FuzzyTable::~FuzzyTable() = default;

Result<std::unique_ptr<FuzzyTable>> FuzzyTable::open(const std::string& path,
                                                     Durability durability) {
  auto database = Database::open(path, Database::Access::kCreate);
  if (!database) return database.error();
  std::unique_ptr<FuzzyTable> table(new FuzzyTable(std::nullopt, *std::move(database)));
  if (Status ready = table->prepare_to_write(durability); !ready) return ready.error();
  return table;
}

Result<std::unique_ptr<FuzzyTable>> FuzzyTable::open_owned(const std::string& path,
                                                           Durability durability) {
  auto file = OwnedFile::open(path);
  if (!file) return file.error();
  std::unique_ptr<FuzzyTable> table(
      new FuzzyTable(std::move(file->lock), std::move(file->database)));
  if (Status ready = table->prepare_to_write(durability); !ready) return ready.error();
  return table;
}

Status FuzzyTable::prepare_to_write(Durability durability) {
  // First check whose file it is: another program's file must not be changed.
  if (Status ours = migrate(*database_); !ours) return ours;
  if (Status ready = configure_writer(*database_, durability); !ready) return ready;
  auto statements = Statements::prepare(*database_);
  if (!statements) return statements.error();
  statements_ = std::make_unique<Statements>(*std::move(statements));
  auto names = UpdateIds::open(*database_);
  if (!names) return names.error();
  update_ids_ = std::make_unique<UpdateIds>(*std::move(names));
  auto replica = ReplicaTables::open(*database_);
  if (!replica) return replica.error();
  replica_ = std::make_unique<ReplicaTables>(*std::move(replica));
  const auto last_id = database_->integer(kLastId);
  if (!last_id) return last_id.error();
  last_id_ = *last_id;
  return {};
}

Result<std::unique_ptr<FuzzyTable>> FuzzyTable::open_read_only(const std::string& path) {
  auto database = Database::open(path, Database::Access::kReadOnly);
  if (!database) return database.error();
  (*database)->set_busy_timeout(kBusyTimeoutMs);
  if (Status ours = check_schema(**database); !ours) return ours.error();
  return std::unique_ptr<FuzzyTable>(new FuzzyTable(std::nullopt, *std::move(database)));
}

Result<std::unique_ptr<FuzzyTable>> FuzzyTable::open_for_rows(const std::string& path) {
  auto table = open_read_only(path);
  if (!table) return table.error();
  auto statements = Statements::prepare(*(*table)->database_);
  if (!statements) return statements.error();
  (*table)->statements_ = std::make_unique<Statements>(*std::move(statements));
  return table;
}

Result<std::int64_t> FuzzyTable::insert(const FuzzyRow& row) {
  ShingleSet set;
  std::optional<BytesView> set_view;
  if (row.shingles) {
    set = encode_shingles(*row.shingles);
    set_view = set;
  }
  Status done = statements_->insert.bind(1, row.flags.front().flag)
                    .bind(2, BytesView(row.digest.bytes))
                    .bind(3, row.flags.front().value)
                    .bind(4, row.updated)
                    .bind(5, row.created)
                    .bind(6, static_cast<std::int64_t>(row.source))
                    .bind(7, set_view)
                    .run();
  if (!done) return done.error();
  const std::int64_t id = database_->last_insert_id();
  if (id < 1 || id > kRowIdMax) return bad_row(*database_, id, "ids up to 2^40 are used up");
  if (id <= last_id_) {
    // The last row was deleted, perhaps with a tool. A tool leaves the row's entries in other
    // tables.
    if (Status bare = statements_->remove_flags.bind(1, id).run(); !bare) return bare.error();
    if (Status bare = replica_->parts.remove(id); !bare) return bare.error();
  }
  last_id_ = std::max(last_id_, id);
  if (Status flags = write_extra_flags(id, row.flags); !flags) return flags.error();
  return id;
}

Status FuzzyTable::update(const FuzzyRow& row) {
  Status done = statements_->update.bind(1, row.flags.front().flag)
                    .bind(2, row.flags.front().value)
                    .bind(3, row.updated)
                    .bind(4, row.created)
                    .bind(5, static_cast<std::int64_t>(row.source))
                    .bind(6, row.id)
                    .bind(7, BytesView(row.digest.bytes))
                    .run();
  if (!done) return done;
  if (database_->changed_rows() == 0) return gone(row.id);
  if (row.shingles) {
    done = set_shingles(row.id, row.shingles);
    if (!done) return done;
  }
  if (Status removed = statements_->remove_flags.bind(1, row.id).run(); !removed) return removed;
  return write_extra_flags(row.id, row.flags);
}

Status FuzzyTable::set_shingles(std::int64_t id, const std::optional<Shingles>& shingles) {
  ShingleSet set{};
  std::optional<BytesView> set_view;
  if (shingles) {
    set = encode_shingles(*shingles);
    set_view = set;
  }
  return statements_->update_shingles.bind(1, set_view).bind(2, id).run();
}

Status FuzzyTable::forget_source(std::int64_t id) {
  return statements_->forget_source.bind(1, id).run();
}

Status FuzzyTable::set_companion(std::int64_t id, const Digest& companion) {
  return statements_->set_companion.bind(1, BytesView(companion.bytes)).bind(2, id).run();
}

Result<std::optional<Digest>> FuzzyTable::companion(std::int64_t id) {
  Statement& select = statements_->companion.bind(1, id);
  const auto there = select.step();
  std::optional<Digest> named;
  if (there && *there && !select.is_null(0)) {
    Digest digest;
    if (select.copy_blob(0, digest.bytes)) named = digest;
  }
  select.reset();
  if (!there) return there.error();
  return named;
}

Status FuzzyTable::keep_journal(std::uint64_t journal_max) {
  if (journal_max == 0) {
    const auto eras = database_->integer("SELECT count(*) FROM journal_eras");
    if (!eras) return eras.error();
    if (*eras == 0) return {};
  }
  auto transaction = begin();
  if (!transaction) return transaction.error();
  Journal& journal = replica_->journal;
  if (journal_max == 0) {
    if (Status done = journal.forget(); !done) return done;
  } else {
    if (Status named = replica_->stores.name_self(); !named) return named;
    if (Status begun = journal.begin(journal_max); !begun) return begun;
  }
  return transaction->commit();
}

Status FuzzyTable::write_extra_flags(std::int64_t id, const FlagSet& flags) {
  for (const FlagValue& extra : flags.all().subspan(1)) {
    Status done =
        statements_->insert_flag.bind(1, id).bind(2, extra.flag).bind(3, extra.value).run();
    if (!done) return done;
  }
  return {};
}

Error FuzzyTable::gone(std::int64_t id) const {
  return {ErrorCode::kNotFound,
          database_->path() + ": digests row " + std::to_string(id) + ": is not there"};
}

Result<std::optional<Shingles>> FuzzyTable::remove(std::int64_t id, const Digest& digest) {
  Statement& remove = statements_->remove.bind(1, id).bind(2, BytesView(digest.bytes));
  auto row = remove.step();
  if (!row) return row.error();
  if (!*row) {
    remove.reset();
    return gone(id);
  }
  auto shingles = shingles_of(*database_, remove, 0, id);
  remove.reset();
  if (Status done = statements_->remove_flags.bind(1, id).run(); !done) return done.error();
  return shingles;
}

Status FuzzyTable::remove_leftovers(std::int64_t id) {
  if (auto row = this->row(id); row || row.error().code != ErrorCode::kNotFound) return {};
  if (Status done = statements_->remove_flags.bind(1, id).run(); !done) return done;
  return replica_->parts.remove(id);
}

Status FuzzyTable::for_each(const std::function<bool(const FuzzyRow&)>& each) {
  // Both statements run in one transaction, so both tables are read at the same moment.
  auto rows = database_->prepare(kSelect);
  if (!rows) return rows.error();
  auto extras =
      database_->prepare("SELECT digest_id, flag, value FROM extra_flags ORDER BY digest_id, flag");
  if (!extras) return extras.error();
  auto more = rows->step();
  if (!more) return more.error();
  auto more_extras = extras->step();
  while (more && *more && more_extras) {
    auto row = row_of(*database_, *rows);
    if (!row) return row.error();
    while (*more_extras && extras->integer(0) <= row->id) {
      if (extras->integer(0) == row->id) {
        if (Status good = add_extra_flag(*database_, *extras, *row); !good) return good;
      }
      more_extras = extras->step();
      if (!more_extras) return more_extras.error();
    }
    if (!each(*row)) return {};
    more = rows->step();
  }
  if (!more_extras) return more_extras.error();
  if (!more) return more.error();
  return {};
}

Status FuzzyTable::hold_still() {
  return database_->execute("BEGIN; SELECT count(*) FROM sqlite_schema");
}

Result<FuzzyRow> FuzzyTable::row(std::int64_t id) {
  Statement& select = statements_->select.bind(1, id);
  auto there = select.step();
  if (!there) return there.error();
  if (!*there) {
    select.reset();
    return gone(id);
  }
  auto row = row_of(*database_, select);
  select.reset();
  if (!row) return row.error();
  Status good = for_each_row(statements_->select_flags.bind(1, id), [&](const Statement& flag) {
    return add_extra_flag(*database_, flag, *row);
  });
  if (!good) return good.error();
  return row;
}

Result<std::optional<FuzzyRow>> FuzzyTable::find(const Digest& digest) {
  std::optional<FuzzyRow> found;
  Status done = for_each([&](const FuzzyRow& row) {
    if (row.digest == digest) found = row;
    return !found;
  });
  if (!done) return done.error();
  return found;
}

Result<std::int64_t> FuzzyTable::free_pages() {
  return database_->integer("PRAGMA freelist_count");
}

Result<std::int64_t> FuzzyTable::pages() { return database_->integer("PRAGMA page_count"); }

Status FuzzyTable::give_back(std::int64_t pages) {
  return database_->execute(("PRAGMA incremental_vacuum(" + std::to_string(pages) + ")").c_str());
}

Status FuzzyTable::touch() {
  const auto version = database_->integer("PRAGMA user_version");
  if (!version) return version.error();
  return database_->execute(("PRAGMA user_version = " + std::to_string(*version)).c_str());
}

Result<std::int64_t> FuzzyTable::count() {
  return database_->integer("SELECT count(*) FROM digests");
}

}  // namespace shingled::storage::sqlite
