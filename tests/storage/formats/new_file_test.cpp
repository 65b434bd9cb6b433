#include "storage/formats/new_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace shingled::storage::formats {
namespace {

using Existing = NewFile::Existing;

class NewFileTest : public ::testing::Test {
 protected:
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const NewFile& file, std::string_view text) {
    ASSERT_EQ(::write(file.fd(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  shingled::testing::TemporaryDirectory directory_;
  std::string path_ = directory_.file("result");
};

TEST_F(NewFileTest, HasItsNameOnlyWhenItIsComplete) {
  auto file = NewFile::create(path_, Existing::kRefuse);
  ASSERT_TRUE(file) << file.error().message;
  write(*file, "all of it");
  EXPECT_FALSE(std::filesystem::exists(path_));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read(path_), "all of it");
  EXPECT_FALSE(std::filesystem::exists(file->part()));
}

TEST_F(NewFileTest, LeavesNothingWithoutACommit) {
  { ASSERT_TRUE(NewFile::create(path_, Existing::kRefuse)); }
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path_).parent_path()));
}

TEST_F(NewFileTest, KeepsAnExistingFileUnlessToldToReplaceIt) {
  std::ofstream(path_) << "old";
  const auto refused = NewFile::create(path_, Existing::kRefuse);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("exists already"));
  auto file = NewFile::create(path_, Existing::kReplace);
  ASSERT_TRUE(file);
  write(*file, "new");
  EXPECT_EQ(read(path_), "old");
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read(path_), "new");
}

TEST_F(NewFileTest, KeepsAFileThatAppearedMeanwhile) {
  auto file = NewFile::create(path_, Existing::kRefuse);
  ASSERT_TRUE(file);
  std::ofstream(path_) << "faster";
  const Status named = file->commit();
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(read(path_), "faster");
}

TEST_F(NewFileTest, ReusesTheFileOfADeadProcess) {
  std::ofstream(path_ + ".part") << "half of";
  auto file = NewFile::create(path_, Existing::kRefuse);
  ASSERT_TRUE(file) << file.error().message;
  write(*file, "all");
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read(path_), "all");
}

TEST_F(NewFileTest, AllowsOneWriterAtATime) {
  auto file = NewFile::create(path_, Existing::kRefuse);
  ASSERT_TRUE(file);
  const auto other = NewFile::create(path_, Existing::kRefuse);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, ::testing::HasSubstr("another process is writing it"));
  EXPECT_TRUE(file->commit());
}

TEST_F(NewFileTest, SaysWhyItCannotBeCreated) {
  const auto expect = [](const std::string& path, ErrorCode code) {
    const auto file = NewFile::create(path, Existing::kReplace);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().code, code) << file.error().message;
    EXPECT_THAT(file.error().message, ::testing::HasSubstr(path));
  };
  expect(directory_.file("no-such-folder/result"), ErrorCode::kNotFound);
  expect(directory_.file(""), ErrorCode::kInvalid);
  std::filesystem::create_symlink(path_, path_ + ".part");  // would write through the link
  expect(path_, ErrorCode::kDenied);
}

}  // namespace
}  // namespace shingled::storage::formats
