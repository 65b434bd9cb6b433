#include "storage/sqlite/people/people_table.h"

#include <cstring>
#include <utility>

#include "storage/sqlite/base/database.h"
#include "storage/sqlite/reports/report_statements.h"

namespace shingled::storage::sqlite {

struct PeopleStatements {
  Statement put;
  Statement remove;
  Statement forget;
  Statement each;
};

namespace {

constexpr std::int64_t kPeopleFileId = 0x7368'6770;  // "shgp", SQLite's application_id
constexpr std::int64_t kPeopleFileVersion = 1;

constexpr const char* kPeopleTables =
    "BEGIN;"
    "CREATE TABLE said (message INTEGER, person INTEGER, kind INTEGER NOT NULL,"
    " standing INTEGER NOT NULL, time INTEGER NOT NULL, signs BLOB NOT NULL,"
    " PRIMARY KEY (message, person)) WITHOUT ROWID;"
    "CREATE INDEX said_time ON said (time);"
    "PRAGMA application_id = 1936222064;"
    "PRAGMA user_version = 1;"
    "COMMIT;";
static_assert(kPeopleFileId == 1936222064 && kPeopleFileVersion == 1,
              "the script must name the same numbers");

constexpr std::size_t kSignBytes = sizeof(std::uint64_t);

Bytes encode_signs(const std::vector<std::uint64_t>& signs) {
  Bytes out(signs.size() * kSignBytes);
  if (!out.empty()) std::memcpy(out.data(), signs.data(), out.size());
  return out;
}

Result<PeopleRow> people_row_of(const Statement& found, const std::string& path) {
  PeopleRow row;
  row.message = static_cast<std::uint64_t>(found.integer(0));
  row.person = static_cast<std::uint64_t>(found.integer(1));
  row.kind = kind_of(found.integer(2));
  const std::int64_t standing = found.integer(3);
  row.time = static_cast<std::uint32_t>(found.integer(4));
  const BytesView signs = found.blob(5);
  if (standing < 0 || standing > static_cast<std::int64_t>(Standing::kTrusted) ||
      signs.size() % kSignBytes != 0)
    return Error{ErrorCode::kCorrupt, path + ": a row that cannot be"};
  row.standing = static_cast<Standing>(standing);
  row.signs.resize(signs.size() / kSignBytes);
  if (!signs.empty()) std::memcpy(row.signs.data(), signs.data(), signs.size());
  return row;
}

Status prepare_people(Database& database, std::int64_t site) {
  const auto ours =
      is_file_of(database, {kPeopleFileId, kPeopleFileVersion, "a file of what people say"});
  if (!ours) return ours.error();
  if (Status wal = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); !wal)
    return wal;
  if (!*ours) {
    if (Status made = database.execute(kPeopleTables); !made) return made;
  }
  return check_site(database, site);
}

}  // namespace

Result<std::unique_ptr<PeopleTable>> PeopleTable::open(const std::string& path,
                                                       std::uint64_t site) {
  auto file = OwnedFile::open(path);
  if (!file) return file.error();
  Status prepared = prepare_people(*file->database, signed_id(site));
  if (!prepared) return prepared.error();
  const std::string texts[] = {
      "INSERT INTO said (message, person, kind, standing, time, signs)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (message, person) DO UPDATE"
      " SET kind = ?3, standing = ?4, time = ?5, signs = ?6",
      "DELETE FROM said WHERE message = ?1 AND person = ?2",
      "DELETE FROM said WHERE time < ?1",
      "SELECT message, person, kind, standing, time, signs FROM said ORDER BY time"
      " LIMIT -1 OFFSET ?1",
  };
  auto statements = prepare_all<PeopleStatements>(*file->database, texts);
  if (!statements) return statements.error();
  return std::unique_ptr<PeopleTable>(new PeopleTable(
      *std::move(file), std::make_unique<PeopleStatements>(*std::move(statements))));
}

PeopleTable::PeopleTable(OwnedFile file, std::unique_ptr<PeopleStatements> statements)
    : file_(std::move(file)), statements_(std::move(statements)) {}

PeopleTable::~PeopleTable() = default;

Status PeopleTable::put(const PeopleRow& row) {
  const Bytes signs = encode_signs(row.signs);
  return statements_->put.bind(1, signed_id(row.message))
      .bind(2, signed_id(row.person))
      .bind(3, number_of(row.kind))
      .bind(4, static_cast<std::int64_t>(row.standing))
      .bind(5, std::int64_t{row.time})
      .bind(6, BytesView(signs))
      .run();
}

Status PeopleTable::remove(std::uint64_t message, std::uint64_t person) {
  return statements_->remove.bind(1, signed_id(message)).bind(2, signed_id(person)).run();
}

Result<std::uint64_t> PeopleTable::forget_before(std::int64_t time) {
  if (Status done = statements_->forget.bind(1, time).run(); !done) return done.error();
  return static_cast<std::uint64_t>(file_.database->changed_rows());
}

Result<PeopleTable::Count> PeopleTable::count() {
  const auto statements = file_.database->integer("SELECT count(*) FROM said");
  if (!statements) return statements.error();
  const auto signs = file_.database->integer("SELECT total(length(signs)) / 8 FROM said");
  if (!signs) return signs.error();
  return Count{static_cast<std::uint64_t>(*statements), static_cast<std::uint64_t>(*signs)};
}

Result<std::int64_t> PeopleTable::newest() {
  return file_.database->integer("SELECT max(time) FROM said");
}

Status PeopleTable::each(std::int64_t skipped, const std::function<void(const PeopleRow&)>& take) {
  return for_each_row(statements_->each.bind(1, skipped), [&](const Statement& found) -> Status {
    auto row = people_row_of(found, file_.database->path());
    if (!row) return row.error();
    take(*row);
    return {};
  });
}

}  // namespace shingled::storage::sqlite
