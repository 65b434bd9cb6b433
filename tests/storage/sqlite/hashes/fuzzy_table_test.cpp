// Covers storage/sqlite/base/database.cpp, storage/sqlite/hashes/migrations.cpp.
#include "storage/sqlite/hashes/fuzzy_table.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "storage/sqlite/hashes/migrations.h"
#include "tests/storage/sqlite/hashes/random_row.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

class FuzzyTableTest : public ::testing::Test {
 protected:
  std::unique_ptr<FuzzyTable> open() {
    auto table = FuzzyTable::open(path_, Durability::kCommit);
    EXPECT_TRUE(table) << table.error().message;
    return *std::move(table);
  }
  FuzzyRow random_row() { return storage::sqlite::random_row(random_); }
  static std::vector<FuzzyRow> all_rows(FuzzyTable& table) {
    std::vector<FuzzyRow> rows;
    const Status done = table.for_each([&](const FuzzyRow& row) {
      rows.push_back(row);
      return true;
    });
    EXPECT_TRUE(done) << done.error().message;
    return rows;
  }
  void write_file(std::string_view bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  void execute(const char* sql) {
    auto database = Database::open(path_, Database::Access::kCreate);
    ASSERT_TRUE(database);
    const Status done = (*database)->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  void expect_refused(ErrorCode code, std::string_view reason) {
    const auto table = FuzzyTable::open(path_, Durability::kCommit);
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().code, code) << table.error().message;
    EXPECT_THAT(table.error().message, ::testing::HasSubstr(path_));
    EXPECT_THAT(table.error().message, ::testing::HasSubstr(std::string(reason)));
  }

  shingled::testing::TemporaryDirectory directory_;
  std::string path_ = directory_.file("fuzzy.db");
  engine::Seeded random_{1};
};

TEST_F(FuzzyTableTest, ReturnsTheRowsItWasGiven) {
  std::vector<FuzzyRow> rows;
  {
    auto table = open();
    for (std::int32_t i = 0; i < 20; ++i) {
      FuzzyRow row = random_row();
      if (i % 3 == 0) row.shingles.reset();
      for (std::int32_t extra = 0; extra < i % 8; ++extra) {
        row.flags.add({1000U + static_cast<std::uint32_t>(extra), 10 - extra * 4});
      }
      const auto id = table->insert(row);
      ASSERT_TRUE(id);
      row.id = *id;
      rows.push_back(row);
    }
  }
  EXPECT_EQ(all_rows(*open()), rows);
  EXPECT_EQ(*open()->count(), 20);
}

TEST_F(FuzzyTableTest, UpdatesAllButTheDigestAndKeepsTheSourceIfNoneIsGiven) {
  auto table = open();
  FuzzyRow row = random_row();
  row.flags.add({7, 1});
  row.id = *table->insert(row);
  const Shingles shingles = *row.shingles;
  const std::uint64_t source = row.source;
  row.flags.remove(7);
  row.flags.add({9, std::numeric_limits<std::int32_t>::min()});
  row.updated += 50;
  row.shingles.reset();
  row.source = 0;
  ASSERT_TRUE(table->update(row));
  row.shingles = shingles;
  row.source = source;
  EXPECT_THAT(all_rows(*table), ::testing::ElementsAre(row));
}

TEST_F(FuzzyTableTest, RemovingReturnsTheShinglesAndDeletesAllFlags) {
  auto table = open();
  FuzzyRow row = random_row();
  row.flags.add({7, 1});
  row.id = *table->insert(row);
  const auto shingles = table->remove(row.id, row.digest);
  ASSERT_TRUE(shingles);
  EXPECT_EQ(*shingles, row.shingles);
  EXPECT_EQ(*table->database().integer("SELECT count(*) FROM extra_flags"), 0);
  const auto again = table->remove(row.id, row.digest);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kNotFound);
}

TEST_F(FuzzyTableTest, DoesNotChangeAMissingRow) {
  auto table = open();
  FuzzyRow row = random_row();
  row.id = *table->insert(row);
  FuzzyRow other = random_row();  // whose number was given again
  other.id = row.id;
  EXPECT_EQ(table->update(other).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(table->remove(other.id, other.digest).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(*table->row(row.id), row);
  EXPECT_EQ(table->row(row.id + 1).error().code, ErrorCode::kNotFound);
}

TEST_F(FuzzyTableTest, TheViewShowsEveryShingleAsASignedInteger) {
  auto table = open();
  FuzzyRow row = random_row();
  (*row.shingles)[0] = 0;
  (*row.shingles)[1] = std::numeric_limits<std::uint64_t>::max();
  (*row.shingles)[2] = std::uint64_t{1} << 63;
  row.id = *table->insert(row);
  FuzzyRow direct = random_row();
  direct.shingles.reset();
  ASSERT_TRUE(table->insert(direct));
  auto view =
      table->database().prepare("SELECT value, number, digest_id FROM shingles ORDER BY number");
  ASSERT_TRUE(view);
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    ASSERT_TRUE(*view->step());
    EXPECT_EQ(view->integer(0), static_cast<std::int64_t>((*row.shingles)[slot]));
    EXPECT_EQ(view->integer(1), static_cast<std::int64_t>(slot));
    EXPECT_EQ(view->integer(2), row.id);
  }
  EXPECT_FALSE(*view->step());
}

TEST_F(FuzzyTableTest, AReaderSeesTheLiveFile) {
  auto writer = open();
  const FuzzyRow first = random_row();
  ASSERT_TRUE(writer->insert(first));
  auto reader = FuzzyTable::open_read_only(path_);
  ASSERT_TRUE(reader) << reader.error().message;
  const FuzzyRow second = random_row();
  ASSERT_TRUE(writer->insert(second));
  const auto found = (*reader)->find(second.digest);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  EXPECT_EQ((**found).shingles, second.shingles);
  EXPECT_FALSE(*(*reader)->find(engine::random_digest(random_)));
  EXPECT_EQ(*(*reader)->count(), 2);
}

TEST_F(FuzzyTableTest, AnAbandonedTransactionHasNoEffect) {
  auto table = open();
  {
    auto transaction = table->begin();
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(table->insert(random_row()));
  }
  EXPECT_EQ(*table->count(), 0);
}

TEST_F(FuzzyTableTest, RefusesAFileThatIsNotADatabase) {
  write_file("#!/bin/sh\necho this is something else entirely, and long enough for a header\n" +
             std::string(200, 'x'));
  expect_refused(ErrorCode::kCorrupt, "not a database");
}

TEST_F(FuzzyTableTest, RefusesTheDatabaseOfAnotherProgramAndDoesNotChangeIt) {
  execute("CREATE TABLE mail (subject TEXT)");
  expect_refused(ErrorCode::kCorrupt, "not one of shingled");
  execute("INSERT INTO mail VALUES ('still here')");
}

TEST_F(FuzzyTableTest, RefusesAFileOfANewerVersion) {
  open();
  execute("PRAGMA user_version = 99");
  expect_refused(ErrorCode::kInvalid, "newer version");
  const auto reader = FuzzyTable::open_read_only(path_);
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code, ErrorCode::kInvalid);
}

TEST_F(FuzzyTableTest, RefusesAnImpossiblePath) {
  path_ = directory_.file("no-such-directory/fuzzy.db");
  expect_refused(ErrorCode::kDenied, "unable to open");
  path_ = directory_.file("");
  expect_refused(ErrorCode::kDenied, "unable to open");
}

/// Runs a part of the test as another user, if the test runs as root, which may do everything.
class AsNobody {
 public:
  AsNobody() : user_(::geteuid()) {
    if (user_ == 0) {
      EXPECT_EQ(::seteuid(65534), 0);
    }
  }
  ~AsNobody() { EXPECT_EQ(::seteuid(user_), 0); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  uid_t user_;
};

TEST_F(FuzzyTableTest, RefusesAFileItMayNotWriteAndNamesItsOwner) {
  open();
  ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);
  const AsNobody nobody;
  expect_refused(ErrorCode::kDenied, "permission denied: ");
}

// In this case SQLite itself says only "unable to open database file".
TEST_F(FuzzyTableTest, NamesAFolderWithoutPermission) {
  open();
  const std::string folder = std::filesystem::path(path_).parent_path();
  ASSERT_EQ(::chmod(folder.c_str(), 0), 0);
  {
    const AsNobody nobody;
    expect_refused(ErrorCode::kDenied, "permission denied: " + folder);
    const auto reader = FuzzyTable::open_read_only(path_);
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, ErrorCode::kDenied);
    EXPECT_THAT(reader.error().message, ::testing::HasSubstr("permission denied: " + folder));
  }
  ::chmod(folder.c_str(), 0700);
}

// A reader of a database in WAL mode creates files beside it, too.
TEST_F(FuzzyTableTest, NamesTheFolderAReaderMayNotWriteTo) {
  open();
  const std::string folder = std::filesystem::path(path_).parent_path();
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 0555), 0);
  {
    const AsNobody nobody;
    const auto reader = FuzzyTable::open_read_only(path_);
    ASSERT_FALSE(reader);
    EXPECT_THAT(reader.error().message, ::testing::HasSubstr("permission denied: " + folder));
  }
  ::chmod(folder.c_str(), 0700);
}

TEST_F(FuzzyTableTest, RefusesALockedFile) {
  open();
  auto other = Database::open(path_, Database::Access::kReadWrite);
  ASSERT_TRUE(other);
  ASSERT_TRUE((*other)->execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"));
  expect_refused(ErrorCode::kUnavailable, "locked");
}

TEST_F(FuzzyTableTest, AnInvalidRowIsDamage) {
  struct Case {
    const char* sql;
    const char* reason;
  };
  constexpr Case kCases[] = {
      {"UPDATE digests SET digest = x'0102'", "digest is not 64 bytes"},
      {"UPDATE digests SET shingle_set = x'00'", "shingle_set is not 256 bytes"},
  };
  for (const Case& damage : kCases) {
    std::filesystem::remove(path_);
    ASSERT_TRUE(open()->insert(random_row()));
    execute(damage.sql);
    const Status read = open()->for_each([](const FuzzyRow&) { return true; });
    ASSERT_FALSE(read) << damage.sql;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(read.error().message, ::testing::HasSubstr(damage.reason));
    EXPECT_THAT(read.error().message, ::testing::HasSubstr("row 1"));
  }
}

// A file that was cut anywhere is refused, or read in part with an error; it never looks complete.
TEST_F(FuzzyTableTest, ATruncatedFileIsNoticed) {
  {
    auto table = open();
    auto transaction = table->begin();
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(table->insert(random_row()));
    ASSERT_TRUE(transaction->commit());
  }
  const auto whole = std::filesystem::file_size(path_);
  const std::string cut = directory_.file("cut.db");
  for (std::uintmax_t size = 100; size < whole; size += whole / 23) {
    std::filesystem::copy_file(path_, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, size);
    const auto table = FuzzyTable::open(cut, Durability::kCommit);
    if (!table) {
      EXPECT_EQ(table.error().code, ErrorCode::kCorrupt) << table.error().message;
      continue;
    }
    const Status read = (*table)->for_each([](const FuzzyRow&) { return true; });
    ASSERT_FALSE(read) << "cut at " << size;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt) << read.error().message;
  }
}

}  // namespace
}  // namespace shingled::storage::sqlite
