#include "milter/backup/renames.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temporary_directory.h"

namespace shingled::milter::backup {
namespace {

class RenamesTest : public ::testing::Test {
 protected:
  std::string put(const std::string& name) {
    const std::string path = directory_.file(name);
    std::ofstream(path) << name;
    return path;
  }
  std::string text(const std::string& name) {
    std::ostringstream out;
    out << std::ifstream(directory_.file(name)).rdbuf();
    return out.str();
  }

  shingled::testing::TemporaryDirectory directory_;
};

TEST_F(RenamesTest, StayWhenTheyAreKept) {
  const std::string old = put("data");
  const std::string fresh = put("data.new");
  {
    Renames renames;
    ASSERT_TRUE(renames.add(old, old + ".old"));
    ASSERT_TRUE(renames.add(fresh, old));
    ASSERT_TRUE(renames.add_if_there(old + "-wal", old + ".old-wal"));
    ASSERT_TRUE(renames.keep());
  }
  EXPECT_EQ(text("data"), "data.new");
  EXPECT_EQ(text("data.old"), "data");
}

TEST_F(RenamesTest, AreUndoneOtherwise) {
  const std::string old = put("data");
  const std::string fresh = put("data.new");
  const std::string other = put("other");
  {
    Renames renames;
    ASSERT_TRUE(renames.add(old, old + ".old"));
    ASSERT_TRUE(renames.add(fresh, old));
    EXPECT_EQ(renames.add(directory_.file("missing"), directory_.file("x")).error().code,
              ErrorCode::kNotFound);
    EXPECT_EQ(renames.add(other, old).error().code, ErrorCode::kInvalid);
  }
  EXPECT_EQ(text("data"), "data");
  EXPECT_EQ(text("data.new"), "data.new");
  EXPECT_EQ(text("other"), "other");
  EXPECT_FALSE(std::filesystem::exists(old + ".old"));
}

}  // namespace
}  // namespace shingled::milter::backup
