#include "milter/process/pid_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace shingled::milter::process {
namespace {

TEST(PidFile, IsHeldByOneAndRemovedAtTheEnd) {
  char name[] = "/tmp/shingled-pid-XXXXXX";
  const std::string directory = ::mkdtemp(name);
  const std::string path = directory + "/pid";
  {
    const auto file = PidFile::create(path);
    ASSERT_TRUE(file.has_value());
    const auto second = PidFile::create(path);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(second.error().message, testing::HasSubstr(path));
    EXPECT_TRUE(std::filesystem::exists(path)) << "the loser leaves it alone";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace shingled::milter::process
