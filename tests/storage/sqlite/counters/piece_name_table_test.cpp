#include "storage/sqlite/counters/piece_name_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

using testing::TemporaryDirectory;

TEST(PieceNameTable, KeepsTheTextsThatWereSeenLast) {
  const TemporaryDirectory directory;
  auto table = PieceNameTable::open(directory.file("names.db"));
  ASSERT_TRUE(table) << table.error().message;
  const std::vector<PieceNameRow> first = {{14, 1, "a"}, {14, 2, "b"}, {50, 1, "c"}};
  ASSERT_TRUE((*table)->write(first, 100, 4));
  const std::vector<PieceNameRow> second = {{14, 2, "B"}, {14, 3, "d"}, {14, 4, "e"}};
  ASSERT_TRUE((*table)->write(second, 200, 4));
  EXPECT_EQ((*table)->size(), 4U);
  EXPECT_EQ(**(*table)->find(14, 2), "B");
  EXPECT_EQ(**(*table)->find(14, 4), "e");
  EXPECT_FALSE(*(*table)->find(14, 5));
  EXPECT_NE((*table)->find(14, 1)->has_value(), (*table)->find(50, 1)->has_value());
}

TEST(PieceNameTable, AnotherDatabaseIsAnError) {
  const TemporaryDirectory directory;
  auto database = Database::open(directory.file("other.db"), Database::Access::kCreate);
  ASSERT_TRUE(database);
  ASSERT_TRUE((*database)->execute("CREATE TABLE mails (id INTEGER)"));
  database->reset();
  const auto opened = PieceNameTable::open(directory.file("other.db"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace shingled::storage::sqlite
