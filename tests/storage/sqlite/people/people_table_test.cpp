// Covers storage/sqlite/people/people_table.cpp, storage/sqlite/base/database.cpp.
#include "storage/sqlite/people/people_table.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

constexpr std::uint64_t kSite = UINT64_MAX - 5;

PeopleRow row(std::uint64_t message, std::uint64_t person, std::uint32_t time,
              std::vector<std::uint64_t> signs = {1, UINT64_MAX}) {
  return {.person = person, .message = message, .time = time, .signs = std::move(signs)};
}

std::unique_ptr<PeopleTable> open_table(const std::string& path) {
  auto table = PeopleTable::open(path, kSite);
  if (!table) ADD_FAILURE() << table.error().message;
  return table ? *std::move(table) : nullptr;
}

std::vector<PeopleRow> all(PeopleTable& table, std::int64_t skipped = 0) {
  std::vector<PeopleRow> out;
  EXPECT_TRUE(table.each(skipped, [&](const PeopleRow& row) { out.push_back(row); }));
  return out;
}

TEST(PeopleTable, KeepsTheLastWordOnAMessageOverARestart) {
  const testing::TemporaryDirectory directory;
  PeopleRow turned = row(1, UINT64_MAX, 200, {3});
  turned.kind = ReportKind::kHam;
  turned.standing = Standing::kTrusted;
  {
    const auto table = open_table(directory.file("p.db"));
    ASSERT_TRUE(table->put(row(1, UINT64_MAX, 100)));
    ASSERT_TRUE(table->put(turned));
    ASSERT_TRUE(table->put(row(2, 7, 50)));
  }
  const auto table = open_table(directory.file("p.db"));
  EXPECT_EQ(all(*table), (std::vector<PeopleRow>{row(2, 7, 50), turned}));
  EXPECT_EQ(all(*table, 1), std::vector<PeopleRow>{turned});
  EXPECT_EQ(*table->newest(), 200);
  const auto count = table->count();
  EXPECT_EQ(count->statements, 2U);
  EXPECT_EQ(count->signs, 3U);
}

TEST(PeopleTable, RemovesAndForgets) {
  const testing::TemporaryDirectory directory;
  const auto table = open_table(directory.file("p.db"));
  for (std::uint32_t i = 1; i <= 4; ++i) ASSERT_TRUE(table->put(row(i, 1, i * 100)));
  ASSERT_TRUE(table->remove(3, 1));
  ASSERT_TRUE(table->remove(3, 2));  // nobody said it
  EXPECT_EQ(*table->forget_before(200), 1U);
  EXPECT_EQ(all(*table), (std::vector<PeopleRow>{row(2, 1, 200), row(4, 1, 400)}));
}

TEST(PeopleTable, RefusesTheFileOfAnotherSiteAndOtherFiles) {
  const testing::TemporaryDirectory directory;
  open_table(directory.file("p.db"));
  const auto other = PeopleTable::open(directory.file("p.db"), 1);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kCorrupt);
  ASSERT_TRUE(ReportTable::open(directory.file("r.db"), kSite));
  const auto reports = PeopleTable::open(directory.file("r.db"), kSite);
  ASSERT_FALSE(reports);
  EXPECT_EQ(reports.error().code, ErrorCode::kCorrupt);
}

TEST(PeopleTable, RefusesARowThatCannotBe) {
  const testing::TemporaryDirectory directory;
  {
    const auto table = open_table(directory.file("p.db"));
    ASSERT_TRUE(table->put(row(1, 1, 100)));
  }
  {
    auto file = Database::open(directory.file("p.db"), Database::Access::kReadWrite);
    ASSERT_TRUE((*file)->execute("UPDATE said SET signs = x'010203'"));
  }
  const auto table = open_table(directory.file("p.db"));
  const Status read = table->each(0, [](const PeopleRow&) {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace shingled::storage::sqlite
