// Covers storage/sqlite/hashes/replica_reader.cpp.
#include "storage/sqlite/hashes/journal.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "storage/sqlite/hashes/fuzzy_table.h"
#include "storage/sqlite/hashes/replica_reader.h"
#include "tests/storage/engine/random_fingerprint.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

class JournalTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kMost = 10;

  /// Simulates a start of the daemon.
  void start(std::int64_t journal_max = kMost) {
    table_.reset();
    table_ = FuzzyTable::open(path_, Durability::kNormal).value();
    ASSERT_TRUE(table_->keep_journal(static_cast<std::uint64_t>(journal_max)));
    reader_ = ReplicaReader::open(path_).value();
  }
  std::int64_t store(const Digest& digest) {
    auto transaction = table_->begin();
    FuzzyRow row;
    row.digest = digest;
    row.flags.add({1, 5});
    const std::int64_t id = table_->insert(row).value();
    EXPECT_TRUE(table_->replica().journal.changed(digest, id, 1000));
    EXPECT_TRUE(table_->replica().journal.trim());
    EXPECT_TRUE(transaction->commit());
    return id;
  }
  void store_some(int count) {
    for (int i = 0; i < count; ++i) store(engine::random_digest(random_));
  }
  JournalPosition end() { return reader_->end().value(); }
  bool covers(const JournalPosition& position) { return reader_->covers(position).value(); }
  ReplicaReader::Entries entries(const JournalPosition& after, std::size_t most) {
    return reader_->entries(after, most).value().value();
  }

  shingled::testing::TemporaryDirectory directory_;
  std::string path_ = directory_.file("fuzzy.db");
  engine::Seeded random_{20'261'131};
  std::unique_ptr<FuzzyTable> table_;
  std::unique_ptr<ReplicaReader> reader_;
};

TEST_F(JournalTest, ReturnsTheChangesSinceAPosition) {
  start();
  const JournalPosition before = end();
  const Digest digest = engine::random_digest(random_);
  store(digest);
  ASSERT_TRUE(covers(before));
  const auto found = entries(before, 100);
  ASSERT_EQ(found.records.size(), 1U);
  const auto& record = std::get<PartRecord>(found.records.front());
  EXPECT_EQ(record.digest, digest);
  EXPECT_EQ(record.part.flags.front(), (FlagValue{1, 5}));
  EXPECT_EQ(found.end, end());
  EXPECT_TRUE(entries(end(), 100).records.empty());
}

TEST_F(JournalTest, ReportsADeletedRowAsGone) {
  start();
  const JournalPosition before = end();
  const Digest digest = engine::random_digest(random_);
  const std::int64_t id = store(digest);
  {
    auto transaction = table_->begin();
    ASSERT_TRUE(table_->remove(id, digest));
    ASSERT_TRUE(transaction->commit());
  }
  store_some(1);  // which may have the same row number
  const auto found = entries(before, 1);
  ASSERT_EQ(found.records.size(), 1U);
  EXPECT_EQ(std::get<PartRecord>(found.records.front()), (PartRecord{digest, {}}));
}

TEST_F(JournalTest, KeepsTheNewestEntries) {
  start();
  const JournalPosition before = end();
  store_some(static_cast<int>(kMost));
  EXPECT_TRUE(covers(before));
  store_some(1);
  EXPECT_FALSE(covers(before)) << "the first entry after it was deleted";
  EXPECT_FALSE(reader_->entries(before, 100).value()) << "never the rest without the first entry";
  EXPECT_EQ(table_->database().integer("SELECT count(*) FROM journal").value(), kMost);
}

TEST_F(JournalTest, ContinuesAfterAStart) {
  start();
  store_some(3);
  const JournalPosition before = end();
  start();
  EXPECT_TRUE(covers(before));
  store_some(2);
  EXPECT_TRUE(covers(before));
  EXPECT_EQ(entries(before, 100).records.size(), 2U);
  EXPECT_NE(end().era, before.era);
}

TEST_F(JournalTest, DoesNotCoverNumbersThatABackupTookBack) {
  start();
  store_some(2);
  const std::string saved = directory_.file("saved.db");
  reader_.reset();
  table_.reset();  // the last one to close empties the WAL
  std::filesystem::copy_file(path_, saved);
  start();
  store_some(3);
  const JournalPosition lost = end();
  reader_.reset();
  table_.reset();  // the last one to close empties the WAL
  std::filesystem::copy_file(saved, path_, std::filesystem::copy_options::overwrite_existing);
  start();
  EXPECT_FALSE(covers(lost)) << "these numbers are not given yet";
  store_some(5);
  EXPECT_FALSE(covers(lost)) << "the numbers are given to other changes now";
}

TEST_F(JournalTest, AStartWithoutAJournalDeletesIt) {
  start();
  store_some(2);
  const JournalPosition before = end();
  start(0);
  store_some(1);
  start();
  EXPECT_FALSE(covers(before));
}

TEST_F(JournalTest, TheNameOfTheStoreStays) {
  start();
  const auto name = reader_->self().value();
  ASSERT_TRUE(name);
  start(0);
  start();
  EXPECT_EQ(reader_->self().value(), name);
}

TEST_F(JournalTest, WithoutAJournalTheStoreHasNoName) {
  start(0);
  store_some(1);
  EXPECT_FALSE(reader_->self().value());
  EXPECT_EQ(table_->database().integer("SELECT count(*) FROM journal").value(), 0);
}

}  // namespace
}  // namespace shingled::storage::sqlite
