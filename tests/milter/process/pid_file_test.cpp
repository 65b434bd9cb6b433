#include "milter/process/pid_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace shingled::milter::process {
namespace {

TEST(PidFile, IsHeldByOneProcessAndRemovedAtTheEnd) {
  const shingled::testing::TemporaryDirectory directory;
  const std::string path = directory.file("pid");
  {
    const auto file = PidFile::create(path);
    ASSERT_TRUE(file.has_value());
    const auto second = PidFile::create(path);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(second.error().message, ::testing::HasSubstr(path));
    EXPECT_TRUE(std::filesystem::exists(path)) << "the second process does not remove it";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace shingled::milter::process
