#include "storage/sqlite/owned_file.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

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

TEST(OwnedFile, TellsWhyNot) {
  const testing::TemporaryDirectory directory;
  const auto file = OwnedFile::open(directory.file("nowhere/owned.db"));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace shingled::storage::sqlite
