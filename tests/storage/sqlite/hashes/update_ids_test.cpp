#include "storage/sqlite/hashes/update_ids.h"

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <vector>

#include "storage/sqlite/hashes/migrations.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

UpdateId name(std::uint8_t number) {
  UpdateId name{};
  name.front() = number;
  name.back() = number;
  return name;
}

class UpdateIdsTest : public ::testing::Test {
 protected:
  UpdateIdsTest() { reopen(); }
  void reopen() {
    names_.reset();
    database_ = Database::open(directory_.file("fuzzy.db"), Database::Access::kCreate).value();
    ASSERT_TRUE(migrate(*database_));
    names_.emplace(UpdateIds::open(*database_).value());
  }
  Status append(const std::vector<UpdateId>& names, std::uint32_t now) {
    return names_->append(names, {}, now);
  }
  Status append_seals(const std::vector<std::uint64_t>& seals, std::uint32_t now) {
    return names_->append(std::vector<UpdateId>(seals.size()), seals, now);
  }
  std::vector<std::uint64_t> seals(std::uint32_t since = 0) {
    return names_->read_seals(since).value();
  }
  std::vector<UpdateId> read(std::uint32_t since = 0) { return names_->read(since).value(); }
  std::int64_t rows() { return database_->integer("SELECT count(*) FROM recent_updates").value(); }

  shingled::testing::TemporaryDirectory directory_;
  std::unique_ptr<Database> database_;
  std::optional<UpdateIds> names_;
};

TEST_F(UpdateIdsTest, AreThereAfterOpeningAgainOldestFirst) {
  ASSERT_TRUE(append({name(1), name(2)}, 1000));
  ASSERT_TRUE(append({name(3)}, 1001));
  reopen();
  EXPECT_THAT(read(), ElementsAre(name(1), name(2), name(3)));
  EXPECT_THAT(read(1001), ElementsAre(name(3)));
  ASSERT_TRUE(append({name(4)}, 1002));
  EXPECT_THAT(read(1001), ElementsAre(name(3), name(4)));
}

TEST_F(UpdateIdsTest, AreDeletedAfterTheTimeOfARepeatAlsoThoseOfAnEarlierRun) {
  ASSERT_TRUE(append({name(1)}, 1000));
  ASSERT_TRUE(append({name(2)}, 1001));
  reopen();
  ASSERT_TRUE(append({}, 1000 + kRepeatSeconds));
  EXPECT_EQ(rows(), 2);
  ASSERT_TRUE(append({}, 1000 + kRepeatSeconds + 1));
  EXPECT_THAT(read(), ElementsAre(name(2)));
  ASSERT_TRUE(append({name(3)}, 2000));
  EXPECT_THAT(read(), ElementsAre(name(3)));
}

TEST_F(UpdateIdsTest, AreDeletedInTimeAlsoWhenTheClockIsSetBack) {
  for (const bool opened_again : {false, true}) {
    ASSERT_TRUE(append({name(1)}, 900'000));
    if (opened_again) reopen();
    ASSERT_TRUE(append({name(2)}, 1000));
    if (opened_again) reopen();
    EXPECT_THAT(read(), ElementsAre(name(1), name(2))) << "both may be repeated now";
    ASSERT_TRUE(append({}, 1000 + kRepeatSeconds + 1));
    EXPECT_EQ(rows(), 0) << (opened_again ? "opened again" : "open");
  }
}

TEST_F(UpdateIdsTest, AreNotChangedByATransactionThatIsRolledBack) {
  ASSERT_TRUE(append({name(1)}, 1000));
  {
    auto transaction = Transaction::begin(*database_);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(append({name(2)}, 2000));
  }
  EXPECT_THAT(read(), ElementsAre(name(1))) << "nothing added and nothing deleted";
  ASSERT_TRUE(append({name(3)}, 2001));
  ASSERT_TRUE(append({}, 3000));
  EXPECT_THAT(read(), IsEmpty())
      << "a row that a rollback brought back is deleted by the next update";
  EXPECT_EQ(rows(), 0);
}

TEST_F(UpdateIdsTest, SealsAreKeptForTheirOwnTimeAlsoThoseOfAnEarlierRun) {
  constexpr std::uint32_t kDay = 86'400;
  ASSERT_TRUE(append_seals({1, 2}, 1000));
  ASSERT_TRUE(append({name(9)}, 1001));
  ASSERT_TRUE(append_seals({3}, 5000));
  reopen();
  EXPECT_THAT(seals(), ElementsAre(1, 2, 3));
  EXPECT_THAT(seals(1001), ElementsAre(3));
  EXPECT_EQ(rows(), 1) << "names go after the time of a repeat";
  ASSERT_TRUE(append({}, 1000 + kDay));
  EXPECT_THAT(seals(), ElementsAre(1, 2, 3));
  ASSERT_TRUE(append({}, 1000 + kDay + 1));
  EXPECT_THAT(seals(), ElementsAre(3));
  names_->keep({.window = std::chrono::hours(1), .most = 1000});
  ASSERT_TRUE(append({}, 1000 + kDay + 2));
  EXPECT_THAT(seals(), IsEmpty()) << "the configured time has passed";
}

TEST_F(UpdateIdsTest, TheOldestOfTooManySealsAreDeleted) {
  names_->keep({.window = std::chrono::hours(1), .most = 5});
  ASSERT_TRUE(append_seals({1, 2}, 1000));
  ASSERT_TRUE(append_seals({3, 4}, 1000));
  reopen();
  names_->keep({.window = std::chrono::hours(1), .most = 5});
  ASSERT_TRUE(append_seals({5}, 1000));
  EXPECT_THAT(seals(), ElementsAre(1, 2, 3, 4, 5));
  ASSERT_TRUE(append_seals({6}, 1000));
  EXPECT_THAT(seals(), ElementsAre(3, 4, 5, 6));
}

TEST_F(UpdateIdsTest, NoIdsMakeNoRow) {
  ASSERT_TRUE(append({}, 1000));
  EXPECT_EQ(rows(), 0);
}

TEST_F(UpdateIdsTest, AFileOfVersion1GetsTheTable) {
  names_.reset();
  ASSERT_TRUE(database_->execute(
      "DROP TABLE recent_updates; DROP TABLE stores; DROP TABLE parts; DROP TABLE journal;"
      "DROP TABLE journal_eras; DROP TABLE takebacks; DROP TABLE store_keys; DROP TABLE "
      "sealed_updates; ALTER TABLE digests DROP COLUMN companion;"
      "PRAGMA user_version = 1"));
  reopen();
  EXPECT_THAT(read(), IsEmpty());
  EXPECT_EQ(database_->integer("PRAGMA user_version").value(), kSchemaVersion);
}

}  // namespace
}  // namespace shingled::storage::sqlite
