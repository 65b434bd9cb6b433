// Covers the file copy of storage/sqlite/base/database.cpp.
#include "storage/formats/backup.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "storage/formats/verify.h"
#include "tests/storage/formats/stored_rows.h"
#include "tests/storage/sqlite/base/faulty_vfs.h"

namespace shingled::storage::formats {
namespace {

constexpr std::size_t kRows = 12'000;  ///< several steps

class BackupTest : public StoredRowsTest {
 protected:
  Status backup(const Watcher& watcher) {
    std::ofstream(copy_).close();
    return backup_file(path_, copy_, watcher);
  }
  void expect_sound(std::uint64_t rows) {
    const auto report = verify_file(copy_, {.now = 1'800'000'000}, go_on);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->problems, ::testing::IsEmpty());
    EXPECT_EQ(report->rows, rows);
  }

  std::string copy_ = directory_.file("copy.db");
};

TEST_F(BackupTest, IsTheSameStorageInOneFile) {
  const auto rows = store_random(path_, 3000);
  ASSERT_TRUE(backup(go_on));
  EXPECT_EQ(rows_of(copy_), rows);
  expect_sound(3000);
  auto opened = sqlite::FuzzyTable::open(copy_, Durability::kCommit);
  ASSERT_TRUE(opened) << opened.error().message;
  sqlite::FuzzyRow more = random_row();
  EXPECT_TRUE((*opened)->insert(more));
}

TEST_F(BackupTest, CanBeReadInAReadOnlyFolder) {
  store_random(path_, 10);
  ASSERT_TRUE(backup(go_on));
  auto database = sqlite::Database::open(copy_, sqlite::Database::Access::kReadOnly);
  ASSERT_TRUE(database);
  EXPECT_EQ(*(*database)->integer("SELECT count(*) FROM digests"), 10);
  EXPECT_FALSE(std::filesystem::exists(copy_ + "-wal"));
}

// A writer commits between any two steps. The copy neither starts again nor mixes two states.
TEST_F(BackupTest, IsASnapshotWhileAWriterGoesOn) {
  const auto before = store_random(path_, kRows);
  auto writer = sqlite::FuzzyTable::open(path_, Durability::kCommit);
  ASSERT_TRUE(writer);
  std::uint64_t last = 0;
  std::uint64_t steps = 0;
  const Status done = backup([&](const WorkDone& work) {
    EXPECT_GT(work.done, last);
    last = work.done;
    ++steps;
    EXPECT_TRUE((*writer)->insert(random_row()));
    EXPECT_TRUE((*writer)->update(before[steps]));
    return true;
  });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_GT(steps, 3U);
  EXPECT_EQ(rows_of(copy_), before);
  expect_sound(kRows);
  EXPECT_EQ(rows_of(path_).size(), kRows + steps);
}

TEST_F(BackupTest, CopiesOtherDatabasesAsTheyWereWhenTheyWereOpened) {
  const std::string path = directory_.file("other.db");
  auto database = sqlite::Database::open(path, sqlite::Database::Access::kCreate);
  ASSERT_TRUE(database);
  ASSERT_TRUE((*database)->execute(
      "PRAGMA journal_mode = WAL; CREATE TABLE said (x); INSERT INTO said VALUES (1), (2)"));
  auto source = BackupSource::of_other(path);
  ASSERT_TRUE(source) << source.error().message;
  ASSERT_TRUE((*database)->execute("INSERT INTO said VALUES (3)"));
  std::ofstream(copy_).close();
  ASSERT_TRUE(source->copy_to(copy_, go_on));
  EXPECT_TRUE(check_copy(copy_));
  auto copied = sqlite::Database::open(copy_, sqlite::Database::Access::kReadOnly);
  ASSERT_TRUE(copied);
  EXPECT_EQ(*(*copied)->integer("SELECT count(*) FROM said"), 2);
  EXPECT_FALSE(std::filesystem::exists(copy_ + "-wal"));
}

TEST_F(BackupTest, FindsACopyThatIsDamaged) {
  store_random(path_, 200);
  ASSERT_TRUE(backup(go_on));
  EXPECT_TRUE(check_copy(copy_));
  std::fstream file(copy_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(3 * 4096);
  file << std::string(4096, 'x');
  file.close();
  EXPECT_FALSE(check_copy(copy_));
}

TEST_F(BackupTest, StopsWhenTold) {
  store_random(path_, kRows);
  const Status done = backup([](const WorkDone& work) { return work.done < 600; });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), stopped());
}

TEST_F(BackupTest, AFullDiskIsAnErrorAtAnyWrite) {
  store_random(path_, 500);
  for (int writes = 0;; writes += 7) {
    std::ofstream(copy_).close();
    sqlite::FaultyVfs vfs;
    vfs.fail_after(writes, SQLITE_FULL);
    const Status done = backup_file(path_, copy_, go_on);
    if (done) {
      EXPECT_GT(writes, 40) << "one write per page";
      break;
    }
    EXPECT_EQ(done.error().code, ErrorCode::kUnavailable) << done.error().message;
    EXPECT_THAT(done.error().message, ::testing::HasSubstr(copy_));
  }
}

TEST_F(BackupTest, RefusesAFileThatIsNotAStorage) {
  const auto expect = [&](ErrorCode code) {
    const Status done = backup(go_on);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, code) << done.error().message;
    EXPECT_THAT(done.error().message, ::testing::HasSubstr(path_));
  };
  expect(ErrorCode::kNotFound);
  std::ofstream(path_) << std::string(5000, 'x');
  expect(ErrorCode::kCorrupt);
  std::filesystem::remove(path_);
  execute(path_, "CREATE TABLE mail (subject TEXT)");
  expect(ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace shingled::storage::formats
