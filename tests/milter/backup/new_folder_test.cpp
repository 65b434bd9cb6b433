#include "milter/backup/new_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "milter/backup/file_copy.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::backup {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class NewFolderTest : public ::testing::Test {
 protected:
  static void put(const std::string& path) { std::ofstream(path) << "text"; }

  shingled::testing::TemporaryDirectory directory_;
  std::string path_ = directory_.file("backup");
  std::string part_ = path_ + ".part";
};

TEST_F(NewFolderTest, GetsItsNameWhenItIsComplete) {
  auto folder = NewFolder::create(path_ + "/");
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(folder->path(), path_);
  ASSERT_TRUE(write_file(folder->file("hashes.db"), "text"));
  EXPECT_FALSE(fs::exists(path_));
  const Status named = folder->commit();
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_FALSE(fs::exists(part_));
  EXPECT_TRUE(fs::exists(path_ + "/hashes.db"));
  EXPECT_EQ(std::distance(fs::directory_iterator(path_), fs::directory_iterator()), 1);
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(NewFolderTest, IsGoneIfItIsNotCompleted) {
  {
    const auto folder = NewFolder::create(path_);
    ASSERT_TRUE(folder);
    put(folder->file("half"));
  }
  EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(NewFolderTest, TakesAnEmptyOneAndNoOther) {
  fs::create_directory(path_);
  {
    auto folder = NewFolder::create(path_);
    ASSERT_TRUE(folder) << folder.error().message;
    EXPECT_TRUE(folder->commit());
  }
  put(path_ + "/precious");
  const auto folder = NewFolder::create(path_);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(folder.error().message, HasSubstr("is not empty"));
  EXPECT_FALSE(fs::exists(part_));
  put(directory_.file("file"));
  EXPECT_THAT(NewFolder::create(directory_.file("file")).error().message,
              HasSubstr("is not a folder"));
}

TEST_F(NewFolderTest, BeginsAnewWhatAProcessThatDiedLeft) {
  fs::create_directories(part_);
  put(part_ + "/unfinished");
  put(part_ + "/hashes.db");
  auto folder = NewFolder::create(path_);
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_FALSE(fs::exists(part_ + "/hashes.db"));
}

TEST_F(NewFolderTest, TouchesNoFolderOfSomebodyElse) {
  fs::create_directories(part_);
  put(part_ + "/precious");
  const auto folder = NewFolder::create(path_);
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("no backup that was cut off"));
  EXPECT_TRUE(fs::exists(part_ + "/precious"));
}

TEST_F(NewFolderTest, IsOneProcesses) {
  const auto first = NewFolder::create(path_);
  ASSERT_TRUE(first);
  const auto second = NewFolder::create(path_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another process"));
  EXPECT_TRUE(fs::exists(part_ + "/unfinished"));
}

TEST_F(NewFolderTest, DoesNotReplaceWhatCameMeanwhile) {
  auto folder = NewFolder::create(path_);
  ASSERT_TRUE(folder);
  fs::create_directory(path_);
  put(path_ + "/precious");
  const Status named = folder->commit();
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(fs::exists(path_ + "/precious"));
}

}  // namespace
}  // namespace shingled::milter::backup
