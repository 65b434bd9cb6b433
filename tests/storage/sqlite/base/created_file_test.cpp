// Covers storage/sqlite/base/owned_file.cpp.
// Stored files are not readable for others, whatever the umask of the starting process.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "storage/formats/new_file.h"
#include "storage/sqlite/base/owned_file.h"
#include "storage/sqlite/buckets/bucket_file.h"
#include "storage/sqlite/hashes/fuzzy_table.h"
#include "storage/sqlite/hashes/update_journal.h"
#include "tests/storage/sqlite/hashes/random_row.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

namespace fs = std::filesystem;

/// Sets a umask as long as the object exists.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  Umask(Umask&&) = delete;
  Umask& operator=(Umask&&) = delete;

 private:
  mode_t before_;
};

TEST(CreatedFiles, HaveTheSameModeWithAnyUmask) {
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}, mode_t{0777}}) {
    const shingled::testing::TemporaryDirectory directory;
    const Umask umask(mask);
    const std::string hashes = directory.file("fuzzy.db");
    const auto lock = FileLock::take(hashes);
    const auto table = FuzzyTable::open(hashes, Durability::kCommit);
    ASSERT_TRUE(table) << table.error().message;
    engine::Seeded random{1};
    ASSERT_TRUE((*table)->insert(random_row(random)));
    const auto journal = UpdateJournal::open(directory.file("updates"));
    ASSERT_TRUE(journal);
    const auto buckets = BucketFile::open(directory.file("buckets"));
    ASSERT_TRUE(buckets);
    const auto copy =
        formats::NewFile::create(directory.file("copy"), formats::NewFile::Existing::kRefuse);
    ASSERT_TRUE(copy);
    std::size_t files = 0;
    for (const auto& file : fs::directory_iterator(fs::path(hashes).parent_path())) {
      EXPECT_EQ(static_cast<unsigned>(file.status().permissions()), 0640U)
          << file.path() << " with umask " << mask;
      ++files;
    }
    EXPECT_GE(files, 9U) << "with the files that SQLite creates beside them";
  }
}

TEST(CreatedFiles, AnExistingFileKeepsItsMode) {
  const shingled::testing::TemporaryDirectory directory;
  const std::string hashes = directory.file("fuzzy.db");
  ASSERT_TRUE(FuzzyTable::open(hashes, Durability::kCommit));
  fs::permissions(hashes, fs::perms{0600});
  ASSERT_TRUE(FuzzyTable::open(hashes, Durability::kCommit));
  EXPECT_EQ(static_cast<unsigned>(fs::status(hashes).permissions()), 0600U);
}

TEST(CreatedFiles, OfRootBelongToTheOwnerOfTheFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can create files for another owner";
  constexpr uid_t kDaemon = 65534;
  const shingled::testing::TemporaryDirectory directory;
  const std::string hashes = directory.file("fuzzy.db");
  const fs::path folder = fs::path(hashes).parent_path();
  ASSERT_EQ(::chown(folder.c_str(), kDaemon, kDaemon), 0);
  const auto lock = FileLock::take(hashes);
  ASSERT_TRUE(lock) << lock.error().message;
  const auto table = FuzzyTable::open(hashes, Durability::kCommit);
  ASSERT_TRUE(table) << table.error().message;
  engine::Seeded random{1};
  ASSERT_TRUE((*table)->insert(random_row(random)));
  const auto journal = UpdateJournal::open(directory.file("updates"));
  ASSERT_TRUE(journal);
  const auto buckets = BucketFile::open(directory.file("buckets"));
  ASSERT_TRUE(buckets);
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    struct stat info {};
    ASSERT_EQ(::stat(file.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, kDaemon) << file.path();
    EXPECT_EQ(info.st_gid, kDaemon) << file.path();
    ++files;
  }
  EXPECT_GE(files, 8U) << "with the files that SQLite creates beside them";
}

TEST(CreatedFiles, AMissingFolderIsReportedWithWhatToDo) {
  const shingled::testing::TemporaryDirectory directory;
  const std::string hashes = directory.file("missing/fuzzy.db");
  const auto lock = FileLock::take(hashes);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(lock.error().message,
              ::testing::AllOf(::testing::StartsWith(hashes + ": the folder "),
                               ::testing::HasSubstr("does not exist; make it for the user"),
                               ::testing::HasSubstr("name another file in the configuration")));
}

}  // namespace
}  // namespace shingled::storage::sqlite
