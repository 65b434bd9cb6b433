#include "storage/sqlite/similar/sample_file.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "mime/fingerprint/mumhash.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

namespace {

constexpr std::int64_t kSampleFileId = 0x73686773;  // "shgs", SQLite's application_id
constexpr std::int64_t kSampleFileVersion = 1;
constexpr int kBusyMilliseconds = 10'000;
// A reader that has missed more removals than this reads the whole file again.
constexpr std::int64_t kRemovalsKept = 20'000;

constexpr const char* kTables =
    "CREATE TABLE samples (id INTEGER PRIMARY KEY AUTOINCREMENT, list TEXT NOT NULL,"
    " name BLOB NOT NULL, bytes INTEGER NOT NULL, signature TEXT NOT NULL, parts TEXT NOT NULL,"
    " added INTEGER NOT NULL, key INTEGER NOT NULL);"
    "CREATE INDEX samples_by_key ON samples (key);"
    "CREATE INDEX samples_by_list ON samples (list);"
    "CREATE TABLE removals (number INTEGER PRIMARY KEY AUTOINCREMENT, sample INTEGER NOT NULL);"
    "CREATE TABLE part_form (block_size INTEGER NOT NULL);"
    "PRAGMA application_id = 1936222067;"
    "PRAGMA user_version = 1;";
static_assert(kSampleFileId == 1936222067 && kSampleFileVersion == 1,
              "the script must name the same numbers");

constexpr FileIdentity kKnownFiles{kSampleFileId, kSampleFileVersion,
                                   "one of shingled's known files"};

Result<bool> is_ours_now(Database& database) {
  if (Status begun = database.execute("BEGIN"); !begun) return begun.error();
  auto ours = is_file_of(database, kKnownFiles);
  (void)database.execute("COMMIT");
  return ours;
}

/// Switches to WAL. Tries again while other processes do the same, because SQLite does not wait for
/// them by itself.
Status use_wal(Database& database) {
  constexpr std::chrono::milliseconds kPause{5};
  for (int waited = 0;; waited += static_cast<int>(kPause.count())) {
    Status set = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    if (set || set.error().code != ErrorCode::kUnavailable || waited >= kBusyMilliseconds)
      return set;
    std::this_thread::sleep_for(kPause);
  }
}

Status prepare_sample_file(Database& database, bool read_only) {
  auto ours = is_ours_now(database);
  if (!ours) return ours.error();
  if (read_only) {
    if (*ours) return {};
    return Error{ErrorCode::kCorrupt, database.path() + ": empty, not yet a file of known files"};
  }
  if (Status set = use_wal(database); !set) return set;
  if (*ours) return {};
  auto transaction = Transaction::begin(database);
  if (!transaction) return transaction.error();
  ours = is_file_of(database, kKnownFiles);  // another process may have been first
  if (!ours) return ours.error();
  if (*ours) return {};
  if (Status made = database.execute(kTables); !made) return made;
  return transaction->commit();
}

/// A hash of list, name and signature.
std::int64_t key_of(const Sample& sample, const std::string& signature) {
  std::uint64_t key = fingerprint::mumhash(sample.list, 0);
  key = fingerprint::mumhash(sample.name, key);
  return static_cast<std::int64_t>(fingerprint::mumhash(signature, key));
}

Error other_block_size(const std::string& path, std::int64_t stored, std::uint64_t wanted) {
  return {ErrorCode::kInvalid, path + ": the block size of its parts is " + std::to_string(stored) +
                                   ", not " + std::to_string(wanted) +
                                   ": set part_block_size to the size in the file, or make "
                                   "signatures of the files again for a new file"};
}

}  // namespace

struct SampleFile::Statements {
  Statement find;
  Statement insert;
  Statement remove;
  Statement note_removal;
  Statement trim;
  Statement after;
  Statement removals;
  Statement oldest_removal;
  Statement version;
  Statement page;
  Statement page_of_list;
};

Result<std::unique_ptr<SampleFile>> SampleFile::open(const Options& options) {
  auto database = Database::open(
      options.path, options.read_only ? Database::Access::kReadOnly : Database::Access::kCreate);
  if (!database) return database.error();
  (*database)->set_busy_timeout(kBusyMilliseconds);
  if (Status prepared = prepare_sample_file(**database, options.read_only); !prepared)
    return prepared.error();
  std::unique_ptr<SampleFile> file(new SampleFile(options, *std::move(database)));
  if (Status prepared = file->prepare_statements(); !prepared) return prepared.error();
  if (options.parts) {
    const auto stored = file->database_->integer(
        "SELECT block_size FROM part_form WHERE EXISTS (SELECT 1 FROM samples)");
    if (!stored) return stored.error();
    if (*stored != 0 && static_cast<std::uint64_t>(*stored) != options.part_block_size)
      return other_block_size(options.path, *stored, options.part_block_size);
  }
  return file;
}

SampleFile::SampleFile(Options options, std::unique_ptr<Database> database)
    : options_(std::move(options)), database_(std::move(database)) {}

SampleFile::~SampleFile() = default;

Status SampleFile::prepare_statements() {
  const std::string rows = "SELECT id, list, name, bytes, signature, parts, added FROM samples ";
  auto made = prepare_all<Statements>(
      *database_, {"SELECT id, parts <> '' FROM samples WHERE key = ?1 AND list = CAST(?2 AS TEXT)"
                   " AND name = ?3 AND signature = CAST(?4 AS TEXT)",
                   "INSERT INTO samples (list, name, bytes, signature, parts, added, key)"
                   " VALUES (CAST(?1 AS TEXT), ?2, ?3, CAST(?4 AS TEXT), CAST(?5 AS TEXT), ?6, ?7)",
                   "DELETE FROM samples WHERE id = ?1 RETURNING id",
                   "INSERT INTO removals (sample) VALUES (?1)",
                   "DELETE FROM removals WHERE number <= (SELECT max(number) FROM removals) - ?1",
                   rows + "WHERE id > ?1 ORDER BY id",
                   "SELECT sample FROM removals WHERE number > ?1 ORDER BY number",
                   "SELECT min(number) FROM removals", "PRAGMA data_version",
                   rows + "WHERE (list, id) > (CAST(?1 AS TEXT), ?2) ORDER BY list, id LIMIT ?3",
                   rows + "WHERE list = CAST(?1 AS TEXT) AND id > ?2 ORDER BY id LIMIT ?3"});
  if (!made) return made.error();
  statements_ = std::make_unique<Statements>(*std::move(made));
  return {};
}

Result<SampleFile::Added> SampleFile::add(std::span<const Sample> samples) {
  auto transaction = Transaction::begin(*database_);
  if (!transaction) return transaction.error();
  if (std::ranges::any_of(samples, [](const Sample& sample) { return !sample.parts.empty(); })) {
    if (Status same = claim_block_size(); !same) return same.error();
  }
  Added added;
  added.ids.reserve(samples.size());
  for (const Sample& sample : samples) {
    if (Status done = add_one(sample, added); !done) return done.error();
  }
  if (Status done = transaction->commit(); !done) return done.error();
  return added;
}

Status SampleFile::claim_block_size() {
  const auto size = static_cast<std::int64_t>(options_.part_block_size);
  const auto stored = database_->integer("SELECT block_size FROM part_form");
  if (!stored) return stored.error();
  if (*stored == size) return {};
  const auto any = database_->integer("SELECT EXISTS (SELECT 1 FROM samples)");
  if (!any) return any.error();
  if (*any != 0 && *stored != 0)
    return other_block_size(options_.path, *stored, options_.part_block_size);
  return database_->execute(
      ("DELETE FROM part_form; INSERT INTO part_form VALUES (" + std::to_string(size) + ")")
          .c_str());
}

Status SampleFile::add_one(const Sample& sample, Added& added) {
  const std::string signature = sample.signature.text();
  const std::int64_t key = key_of(sample, signature);
  Statement& find = statements_->find;
  find.bind(1, key)
      .bind(2, as_bytes(sample.list))
      .bind(3, as_bytes(sample.name))
      .bind(4, as_bytes(signature));
  const auto there = find.step();
  if (!there) return there.error();
  if (*there) {
    ++added.known;
    const auto id = static_cast<std::uint64_t>(find.integer(0));
    const bool has_parts = find.integer(1) != 0;
    find.reset();
    if (has_parts || sample.parts.empty()) {
      added.ids.push_back(id);
      return {};
    }
    if (const auto gone = drop(id); !gone) return gone.error();
  }
  find.reset();
  if (Status done = insert(sample, key); !done) return done;
  added.ids.push_back(static_cast<std::uint64_t>(database_->last_insert_id()));
  return {};
}

Status SampleFile::insert(const Sample& sample, std::int64_t key) {
  const std::string signature = sample.signature.text();
  return statements_->insert.bind(1, as_bytes(sample.list))
      .bind(2, as_bytes(sample.name))
      .bind(3, static_cast<std::int64_t>(sample.bytes))
      .bind(4, as_bytes(signature))
      .bind(5, as_bytes(sample.parts))
      .bind(6, std::int64_t{sample.added})
      .bind(7, key)
      .run();
}

Result<bool> SampleFile::drop(std::uint64_t id) {
  const auto number = static_cast<std::int64_t>(id);
  const auto there = statements_->remove.bind(1, number).step();
  if (!there) return there.error();
  statements_->remove.reset();
  if (!*there) return false;
  if (Status noted = statements_->note_removal.bind(1, number).run(); !noted) return noted.error();
  return true;
}

Result<std::uint64_t> SampleFile::remove(std::span<const std::uint64_t> ids) {
  auto transaction = Transaction::begin(*database_);
  if (!transaction) return transaction.error();
  std::uint64_t count = 0;
  for (const std::uint64_t id : ids) {
    const auto there = drop(id);
    if (!there) return there.error();
    if (*there) ++count;
  }
  if (Status trimmed = statements_->trim.bind(1, kRemovalsKept).run(); !trimmed)
    return trimmed.error();
  if (Status done = transaction->commit(); !done) return done.error();
  return count;
}

Result<SampleFile::Counts> SampleFile::counts() {
  const auto samples = database_->integer("SELECT count(*) FROM samples");
  if (!samples) return samples.error();
  const auto newest = database_->integer("SELECT max(id) FROM samples");
  if (!newest) return newest.error();
  const auto removal = database_->integer("SELECT max(number) FROM removals");
  if (!removal) return removal.error();
  return Counts{static_cast<std::uint64_t>(*samples),
                {static_cast<std::uint64_t>(*newest), static_cast<std::uint64_t>(*removal)}};
}

Status SampleFile::read_after(std::uint64_t id, const std::function<void(const Sample&)>& take) {
  Statement& after = statements_->after.bind(1, static_cast<std::int64_t>(id));
  return for_each_row(after, [&](const Statement& row) -> Status {
    const auto sample = sample_of(row);
    if (!sample) return sample.error();
    take(*sample);
    return {};
  });
}

Result<std::optional<std::vector<std::uint64_t>>> SampleFile::removed_after(std::uint64_t number) {
  Statement& oldest = statements_->oldest_removal;
  const auto there = oldest.step();
  if (!there) return there.error();
  const auto first = static_cast<std::uint64_t>(oldest.integer(0));  // 0 = none
  oldest.reset();
  if (first > number + 1) return std::optional<std::vector<std::uint64_t>>();

  std::vector<std::uint64_t> ids;
  Statement& removals = statements_->removals.bind(1, static_cast<std::int64_t>(number));
  Status read = for_each_row(removals, [&](const Statement& row) {
    ids.push_back(static_cast<std::uint64_t>(row.integer(0)));
  });
  if (!read) return read.error();
  return std::optional(std::move(ids));
}

Result<std::int64_t> SampleFile::data_version() {
  Statement& version = statements_->version;
  const auto there = version.step();
  if (!there) return there.error();
  const std::int64_t number = version.integer(0);
  version.reset();
  return number;
}

Result<SampleFile::Page> SampleFile::page(std::string_view list, std::string_view after_list,
                                          std::uint64_t after_id, std::size_t most) {
  Statement& rows = list.empty() ? statements_->page : statements_->page_of_list;
  rows.bind(1, as_bytes(list.empty() ? after_list : list))
      .bind(2, static_cast<std::int64_t>(after_id))
      .bind(3, static_cast<std::int64_t>(most));
  Page page;
  Status read = for_each_row(rows, [&](const Statement& row) -> Status {
    auto sample = sample_of(row);
    if (!sample) return sample.error();
    page.samples.push_back(*std::move(sample));
    return {};
  });
  if (!read) return read.error();
  page.last = page.samples.size() < most;
  return page;
}

Result<Sample> SampleFile::sample_of(const Statement& row) const {
  const auto bad = [&](const std::string& what) {
    return Error{ErrorCode::kCorrupt, options_.path + ": sample " + row.text(0) + ": " + what};
  };
  // The index accepts only samples that pass `check_sample`, with rising ids.
  if (row.integer(0) < 1) return bad("not a valid id");
  if (row.blob(5).size() > Sample::kPartsMax || row.blob(2).size() > Sample::kNameMax)
    return bad("longer than a sample may be");
  Sample sample;
  sample.id = static_cast<std::uint64_t>(row.integer(0));
  sample.list = as_text(row.blob(1));
  sample.name = as_text(row.blob(2));
  sample.bytes = static_cast<std::uint64_t>(row.integer(3));
  auto signature = fingerprint::Spamsum::parse(as_text(row.blob(4)));
  if (!signature) return bad(signature.error().message);
  sample.signature = *std::move(signature);
  sample.parts = as_text(row.blob(5));
  sample.added = static_cast<std::uint32_t>(row.integer(6));
  if (Status good = check_sample(sample); !good) return bad(good.error().message);
  return sample;
}

Status SampleFile::begin_reading() { return database_->execute("BEGIN"); }

void SampleFile::end_reading() { static_cast<void>(database_->execute("COMMIT")); }

}  // namespace shingled::storage::sqlite
