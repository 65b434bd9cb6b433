#include "storage/sqlite/hashes/update_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/storage/engine/random_fingerprint.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

using ::testing::HasSubstr;

class UpdateJournalTest : public ::testing::Test {
 protected:
  std::unique_ptr<UpdateJournal> open() {
    auto journal = UpdateJournal::open(path_);
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? *std::move(journal) : nullptr;
  }
  std::vector<Update> some(std::size_t count) {
    std::vector<Update> updates(count);
    for (Update& update : updates) {
      update.kind = random_() % 2 == 0 ? Update::Kind::kAdd : Update::Kind::kDelete;
      update.flag = static_cast<std::uint32_t>(random_());
      update.value = static_cast<std::int32_t>(random_());
      update.weak = random_() % 2 == 0;
      update.source = random_();
      for (std::uint8_t& byte : update.name) byte = static_cast<std::uint8_t>(random_());
      update.fingerprint.digest = engine::random_digest(random_);
      if (random_() % 2 == 0) update.fingerprint.shingles = engine::random_shingles(random_);
    }
    return updates;
  }
  static std::vector<TimedUpdate> timed(const std::vector<Update>& updates) {
    std::vector<TimedUpdate> out;
    for (const Update& update : updates) out.push_back({&update, 1'700'000'000});
    return out;
  }
  static std::vector<Update> updates_in(UpdateJournal& journal, std::size_t most) {
    const auto entries = journal.first(most);
    EXPECT_TRUE(entries) << entries.error().message;
    std::vector<Update> out;
    for (const UpdateJournal::Entry& entry : *entries) {
      EXPECT_EQ(entry.time, 1'700'000'000U);
      out.push_back(entry.update);
    }
    return out;
  }

  shingled::testing::TemporaryDirectory directory_;
  std::string path_ = directory_.file("journal");
  engine::Seeded random_{7};
};

TEST_F(UpdateJournalTest, ReturnsUpdatesInTheOrderOfAppending) {
  const auto updates = some(50);
  auto journal = open();
  const auto all = timed(updates);
  ASSERT_TRUE(journal->append(std::span(all).first(20)));
  ASSERT_TRUE(journal->append(std::span(all).subspan(20)));
  EXPECT_EQ(journal->size(), 50U);
  EXPECT_EQ(updates_in(*journal, 1000), updates);
  EXPECT_EQ(updates_in(*journal, 3), std::vector<Update>(updates.begin(), updates.begin() + 3));
}

TEST_F(UpdateJournalTest, IsTheSameAfterItWasOpenedAgain) {
  const auto updates = some(10);
  ASSERT_TRUE(open()->append(timed(updates)));
  auto journal = open();
  EXPECT_EQ(journal->size(), 10U);
  EXPECT_EQ(updates_in(*journal, 1000), updates);
  ASSERT_TRUE(journal->remove_through(journal->first(4)->back().id));
  EXPECT_EQ(journal->size(), 6U);
  journal.reset();
  EXPECT_EQ(updates_in(*open(), 1000), std::vector<Update>(updates.begin() + 4, updates.end()));
}

TEST_F(UpdateJournalTest, CountsOnAfterItWasEmpty) {
  auto journal = open();
  for (std::size_t round = 1; round < 4; ++round) {
    ASSERT_TRUE(journal->append(timed(some(round))));
    EXPECT_EQ(journal->size(), round);
    const auto entries = journal->first(10);
    ASSERT_TRUE(entries && entries->size() == round);
    ASSERT_TRUE(journal->remove_through(entries->back().id));
    EXPECT_EQ(journal->size(), 0U);
    EXPECT_TRUE(journal->first(10)->empty());
  }
}

TEST_F(UpdateJournalTest, BelongsToOneProcess) {
  auto journal = open();
  const auto second = UpdateJournal::open(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

TEST_F(UpdateJournalTest, RefusesAFileThatIsNotAJournal) {
  std::ofstream(path_) << std::string(8192, 'x');
  auto text = UpdateJournal::open(path_);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kCorrupt);
  std::filesystem::remove(path_);
  ASSERT_TRUE((*Database::open(path_, Database::Access::kCreate))->execute("CREATE TABLE t (a)"));
  auto other = UpdateJournal::open(path_);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("not a journal of shingled"));
}

TEST_F(UpdateJournalTest, NamesTheDamagedRow) {
  ASSERT_TRUE(open()->append(timed(some(3))));
  ASSERT_TRUE((*Database::open(path_, Database::Access::kReadWrite))
                  ->execute("UPDATE updates SET body = x'00' WHERE id = 2"));
  auto journal = open();
  EXPECT_TRUE(journal->first(1));
  const auto all = journal->first(3);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(all.error().message, HasSubstr("row 2"));
}

// The file that an earlier version left when it was killed between its two transactions.
TEST_F(UpdateJournalTest, OpensAFileWhoseFirstStartWasKilled) {
  {
    const auto database = Database::open(path_, Database::Access::kCreate).value();
    ASSERT_TRUE(
        database->execute("PRAGMA journal_mode = WAL;"
                          "CREATE TABLE updates (id INTEGER PRIMARY KEY, body BLOB NOT NULL)"));
  }
  const std::vector<Update> updates = some(3);
  ASSERT_TRUE(open()->append(timed(updates)));
  EXPECT_EQ(updates_in(*open(), 10), updates);
}

}  // namespace
}  // namespace shingled::storage::sqlite
