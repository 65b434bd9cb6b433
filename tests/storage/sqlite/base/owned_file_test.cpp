// One process changes a file at a time, even if a tool removes its lock file.
#include "storage/sqlite/base/owned_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "storage/sqlite/hashes/fuzzy_table.h"
#include "tests/storage/sqlite/hashes/random_row.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {

namespace {

/// The answer of another process: 'y', 'n', or '?' if it died.
template <typename Question>
char elsewhere(const Question& question) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(question() ? 'y' : 'n');
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return '?';
  return static_cast<char>(WEXITSTATUS(status));
}

class FileLockTest : public ::testing::Test {
 protected:
  [[nodiscard]] char can_be_taken_elsewhere() const {
    return elsewhere([&] { return bool(FileLock::take(file_)); });
  }
  shingled::testing::TemporaryDirectory directory_;
  const std::string file_ = directory_.file("fuzzy.db");
};

TEST_F(FileLockTest, HoldsWhenAToolRemovesTheLockFile) {
  for (const char* when : {"before there was a file", "of a file"}) {
    SCOPED_TRACE(when);
    const auto lock = FileLock::take(file_);
    ASSERT_TRUE(lock) << lock.error().message;
    const auto table = FuzzyTable::open(file_, Durability::kCommit);
    ASSERT_TRUE(table);
    EXPECT_EQ(can_be_taken_elsewhere(), 'n');
    std::filesystem::remove(file_ + ".lock");
    EXPECT_EQ(can_be_taken_elsewhere(), 'n');
    EXPECT_EQ(can_be_taken_elsewhere(), 'n') << "with the lock file that the other process left";
    const auto here = FileLock::take(file_);
    ASSERT_FALSE(here);
    EXPECT_EQ(here.error().code, ErrorCode::kUnavailable);
  }
  EXPECT_EQ(can_be_taken_elsewhere(), 'y') << "the lock ends with its holder";
}

TEST_F(FileLockTest, DoesNotInterfereWithLocksOfSqlite) {
  const auto lock = FileLock::take(file_);
  ASSERT_TRUE(lock);
  const auto table = FuzzyTable::open(file_, Durability::kCommit);
  ASSERT_TRUE(table);
  engine::Seeded random{1};
  ASSERT_TRUE((*table)->insert(random_row(random)));
  EXPECT_EQ(elsewhere([&] {
              const auto reader = FuzzyTable::open_read_only(file_);
              return reader && (*reader)->count().value_or(0) == 1;
            }),
            'y')
      << "readers need no lock";
  auto transaction = (*table)->begin();
  ASSERT_TRUE(transaction);
  EXPECT_EQ(elsewhere([&] {
              const auto other = Database::open(file_, Database::Access::kReadWrite);
              return other && (*other)->execute("BEGIN IMMEDIATE").has_value();
            }),
            'n')
      << "SQLite's own locks still work";
}

TEST(OwnedFile, HasTheFileForItself) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("owned.db");
  {
    auto file = OwnedFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->database->execute("CREATE TABLE numbers (number INTEGER)"));
    const auto other = OwnedFile::open(path);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::kUnavailable);
  }
  auto again = OwnedFile::open(path);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->database->execute("SELECT number FROM numbers"));
}

TEST(OwnedFile, ReportsWhyItCannotOpen) {
  const testing::TemporaryDirectory directory;
  const auto file = OwnedFile::open(directory.file("nowhere/owned.db"));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(file.error().message.find("hashfile"), std::string::npos)
      << "it may be a history or a file of reports";
}

}  // namespace

}  // namespace shingled::storage::sqlite
