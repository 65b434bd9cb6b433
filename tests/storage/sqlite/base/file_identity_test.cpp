// Covers storage/sqlite/base/database.cpp.
#include <gtest/gtest.h>

#include <string>

#include "storage/sqlite/base/database.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

TEST(FileIdentity, TellsAFileFromOthers) {
  struct Case {
    const char* why;
    const char* made;
    const char* expected;
  };
  const Case cases[] = {
      {"nothing yet", "", "empty"},
      {"ours", "CREATE TABLE a (b); PRAGMA application_id = 7; PRAGMA user_version = 2", "ours"},
      {"ours of before", "CREATE TABLE a (b); PRAGMA application_id = 7", "ours"},
      {"a newer one", "PRAGMA application_id = 7; PRAGMA user_version = 3",
       "written by a newer version (schema 3, this program knows 2)"},
      {"another program's", "PRAGMA application_id = 8", "a database, but not a list of tests"},
      {"tables without a name", "CREATE TABLE a (b)", "a database, but not a list of tests"},
      {"a version without a name", "PRAGMA user_version = 1",
       "a database, but not a list of tests"},
  };
  const testing::TemporaryDirectory directory;
  int number = 0;
  for (const Case& test : cases) {
    SCOPED_TRACE(test.why);
    const std::string path = directory.file(std::to_string(++number));
    auto database = Database::open(path, Database::Access::kCreate);
    ASSERT_TRUE(database) << database.error().message;
    ASSERT_TRUE((*database)->execute(test.made));
    const auto found = is_file_of(**database, {.id = 7, .version = 2, .name = "a list of tests"});
    if (found) {
      EXPECT_STREQ(*found ? "ours" : "empty", test.expected);
    } else {
      EXPECT_EQ(found.error().message, path + ": " + test.expected);
      const bool newer = found.error().message.find("newer") != std::string::npos;
      EXPECT_EQ(found.error().code, newer ? ErrorCode::kInvalid : ErrorCode::kCorrupt);
    }
  }
}

}  // namespace
}  // namespace shingled::storage::sqlite
