// Covers storage/sqlite/base/database.cpp.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "storage/sqlite/base/database.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

struct Two {
  Statement insert;
  Statement select;
};

class StatementsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Database::open(directory_.file("rows.db"), Database::Access::kCreate);
    ASSERT_TRUE(opened) << opened.error().message;
    database_ = *std::move(opened);
    ASSERT_TRUE(database_->execute("CREATE TABLE numbers (number INTEGER)"));
  }
  Result<Two> two() {
    const std::string table = "numbers";
    return prepare_all<Two>(*database_, {"INSERT INTO numbers VALUES (?)",
                                         "SELECT number FROM " + table + " ORDER BY number"});
  }
  std::vector<std::int64_t> numbers(Statement& select) {
    std::vector<std::int64_t> all;
    EXPECT_TRUE(for_each_row(select, [&](const Statement& row) { all.push_back(row.integer(0)); }));
    return all;
  }

  testing::TemporaryDirectory directory_;
  std::unique_ptr<Database> database_;
};

TEST_F(StatementsTest, PreparesInTheOrderOfTheMembers) {
  auto statements = two();
  ASSERT_TRUE(statements) << statements.error().message;
  EXPECT_EQ(numbers(statements->select), std::vector<std::int64_t>());
  for (const std::int64_t number : {3, 1, 2}) {
    ASSERT_TRUE(statements->insert.bind(1, number).run());
  }
  EXPECT_EQ(numbers(statements->select), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(numbers(statements->select), (std::vector<std::int64_t>{1, 2, 3})) << "again";
}

TEST_F(StatementsTest, TheErrorNamesAWrongStatement) {
  using Statements = std::array<Statement, 3>;
  const auto statements = prepare_all<Statements>(
      *database_, {"SELECT number FROM numbers", "SELECT wrong FROM numbers", "SELECT worse"});
  ASSERT_FALSE(statements);
  EXPECT_NE(statements.error().message.find("wrong"), std::string::npos)
      << statements.error().message;
}

TEST_F(StatementsTest, AnErrorEndsTheWalkAndTheStatementCanBeUsedAgain) {
  auto statements = two();
  ASSERT_TRUE(statements);
  for (const std::int64_t number : {1, 2, 3}) {
    ASSERT_TRUE(statements->insert.bind(1, number).run());
  }
  int seen = 0;
  const Status walk = for_each_row(statements->select, [&](const Statement& row) -> Status {
    ++seen;
    if (row.integer(0) == 2) return Error{ErrorCode::kCorrupt, "two"};
    return {};
  });
  ASSERT_FALSE(walk);
  EXPECT_EQ(walk.error().message, "two");
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(numbers(statements->select), (std::vector<std::int64_t>{1, 2, 3}));
}

}  // namespace
}  // namespace shingled::storage::sqlite
