#include "storage/sqlite/reports/case_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "storage/model/fuzzy_store.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Shingles of which `equal` are those of every other such set, from the first slot on.
Shingles shingles_with(std::size_t equal, std::uint64_t own) {
  Shingles out{};
  for (std::size_t slot = 0; slot < kShingleCount; ++slot)
    out[slot] = slot < equal ? 1000 + slot : (own << 32U) + slot;
  return out;
}

struct CaseIndexTest : ::testing::Test {
  testing::TemporaryDirectory directory;
  std::unique_ptr<Database> database;
  std::optional<CaseIndex> index;

  void SetUp() override {
    auto opened = Database::open(directory.file("cases.db"), Database::Access::kCreate);
    ASSERT_TRUE(opened);
    database = *std::move(opened);
    ASSERT_TRUE(database->execute("PRAGMA synchronous = OFF"));
    ASSERT_TRUE(database->execute("CREATE TABLE hashes (id INTEGER PRIMARY KEY, flag INTEGER)"));
    ASSERT_TRUE(database->execute(CaseIndex::kTables));
    auto made = CaseIndex::open(*database);
    ASSERT_TRUE(made) << made.error().message;
    index.emplace(*std::move(made));
  }
  void put(std::int64_t hash, const Shingles& shingles, std::uint32_t flag = 11) {
    const std::string row = "INSERT OR IGNORE INTO hashes VALUES (" + std::to_string(hash) + "," +
                            std::to_string(flag) + ")";
    ASSERT_TRUE(database->execute(row.c_str()));
    const Status done = index->put(hash, flag, shingles);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::vector<std::int64_t> matching(std::int64_t hash) {
    const auto found = index->matching(hash);
    if (!found) ADD_FAILURE() << found.error().message;
    return found ? *found : std::vector<std::int64_t>{};
  }
};

TEST_F(CaseIndexTest, MoreThanHalfOfTheSlotsIsAMatch) {
  put(1, shingles_with(32, 1));
  put(2, shingles_with(kMatchSlotsMin, 2));
  put(3, shingles_with(kMatchSlotsMin - 1, 3));
  EXPECT_THAT(matching(1), ElementsAre(2));
  EXPECT_THAT(matching(2), ElementsAre(1)) << "both know it";
  EXPECT_THAT(matching(3), IsEmpty());
}

TEST_F(CaseIndexTest, EqualShinglesInOtherSlotsAreNoMatch) {
  Shingles moved = shingles_with(32, 1);
  std::rotate(moved.begin(), moved.begin() + 1, moved.end());
  put(1, shingles_with(32, 1));
  put(2, moved);
  EXPECT_THAT(matching(1), IsEmpty());
}

TEST_F(CaseIndexTest, ListsAreApart) {
  put(1, shingles_with(32, 1), 11);
  put(2, shingles_with(32, 1), 13);
  EXPECT_THAT(matching(1), IsEmpty());
}

TEST_F(CaseIndexTest, AMatchIsNotPassedOn) {
  // 1 and 2 share the first half and more, 2 and 3 the second one.
  Shingles middle = shingles_with(32, 1);
  Shingles last{};
  for (std::size_t slot = 0; slot < kShingleCount; ++slot)
    last[slot] = slot >= 15 ? middle[slot] : 77 + slot;
  Shingles first = shingles_with(17, 9);
  put(1, first);
  put(2, middle);
  put(3, last);
  EXPECT_THAT(matching(2), ElementsAre(1, 3));
  EXPECT_THAT(matching(1), ElementsAre(2));
  EXPECT_THAT(matching(3), ElementsAre(2));
}

TEST_F(CaseIndexTest, IsPutOnceAndRemovedAsAWhole) {
  put(1, shingles_with(32, 1));
  put(2, shingles_with(32, 2));
  put(2, shingles_with(32, 2));
  ASSERT_THAT(matching(1), ElementsAre(2));
  ASSERT_TRUE(index->remove(1, shingles_with(32, 1)));
  EXPECT_THAT(matching(1), IsEmpty());
  EXPECT_THAT(matching(2), IsEmpty());
  EXPECT_EQ(*database->integer("SELECT count(*) FROM slots"),
            static_cast<std::int64_t>(kShingleCount));
  EXPECT_EQ(*database->integer("SELECT count(*) FROM pairs"), 0);
}

TEST_F(CaseIndexTest, KeepsTheMostSimilar) {
  const auto many = static_cast<std::int64_t>(CaseIndex::kPairsMax) + 50;
  ASSERT_TRUE(database->execute("BEGIN"));
  for (std::int64_t hash = 1; hash <= many; ++hash)
    put(hash, shingles_with(hash == 7 ? 31 : 20, static_cast<std::uint64_t>(hash)));
  put(many + 1, shingles_with(32, 1));
  ASSERT_TRUE(database->execute("COMMIT"));
  const auto found = matching(many + 1);
  EXPECT_EQ(found.size(), CaseIndex::kPairsMax);
  EXPECT_EQ(found.front(), 7) << "an old one, but the most similar";
}

}  // namespace
}  // namespace shingled::storage::sqlite
