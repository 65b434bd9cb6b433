#include "config/system/whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace shingled {
namespace {

class WholeFileTest : public ::testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(path_) << text; }

  const testing::TemporaryDirectory directory_;
  const std::string path_ = directory_.file("file");
};

TEST_F(WholeFileTest, GivesTheTextAndHowItStood) {
  const std::string text = std::string(200'000, 'x') + '\0' + "end";
  write(text);
  ::chmod(path_.c_str(), 0640);
  const auto file = read_whole_file(path_, text.size());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->text, text);
  EXPECT_EQ(file->mode, 0640U);
  EXPECT_FALSE(file->is_private());
  EXPECT_EQ(file->stamp, stamp_of(path_));
  ::chmod(path_.c_str(), 0600);
  EXPECT_TRUE(read_whole_file(path_, text.size())->is_private());
}

TEST_F(WholeFileTest, SaysWhyNot) {
  EXPECT_EQ(read_whole_file(path_, 10).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_whole_file(path_, 10).error().message, path_ + ": No such file or directory");
  EXPECT_EQ(read_whole_file(directory_.path(), 10).error().code, ErrorCode::kDenied);
  write("12345678901");
  EXPECT_EQ(read_whole_file(path_, 10).error().code, ErrorCode::kLimit);
  EXPECT_TRUE(read_whole_file(path_, 11));
  std::filesystem::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(read_whole_file(path_, 10).error().code, ErrorCode::kDenied) << "and does not wait";
}

TEST_F(WholeFileTest, StampsChangeWithTheFile) {
  EXPECT_EQ(stamp_of(path_), FileStamp{}) << "nothing there";
  write("one");
  const FileStamp first = stamp_of(path_);
  EXPECT_NE(first, FileStamp{});
  EXPECT_EQ(stamp_of(path_), first);
  std::ofstream(path_, std::ios::app) << "more";
  const FileStamp second = stamp_of(path_);
  EXPECT_NE(second, first) << "in place";
  const std::string other = path_ + ".new";
  std::ofstream(other) << "onemore";
  std::filesystem::rename(other, path_);
  EXPECT_NE(stamp_of(path_), second) << "renamed over it, of the same length";
}

}  // namespace
}  // namespace shingled
