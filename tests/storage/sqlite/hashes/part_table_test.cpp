#include "storage/sqlite/hashes/part_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "storage/sqlite/hashes/fuzzy_table.h"
#include "tests/storage/engine/random_fingerprint.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::sqlite {
namespace {

constexpr std::uint32_t kOld = 1000;
constexpr std::int64_t kStores = 3;

class PartTableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = FuzzyTable::open(directory_.file("fuzzy.db"), Durability::kNormal);
    ASSERT_TRUE(opened);
    table_ = *std::move(opened);
  }
  PartTable& parts() { return table_->replica().parts; }
  void put(std::int64_t digest_id, std::int64_t store, std::uint32_t updated) {
    StoredPart stored{store, {}, 0};
    stored.part.flags.add({1, 1});
    stored.part.created = 1;
    stored.part.updated = updated;
    ASSERT_TRUE(parts().put(digest_id, stored, std::nullopt));
  }
  /// The digests that a walk in slices of `most` rows finds.
  std::set<std::int64_t> walk(std::int64_t most) {
    std::set<std::int64_t> found;
    std::int64_t after = 0;
    for (int slice = 0; slice < 10'000; ++slice) {
      const auto walk = parts().updated_until(kOld, after, most);
      EXPECT_TRUE(walk);
      if (!walk) break;
      found.insert(walk->digest_ids.begin(), walk->digest_ids.end());
      if (walk->next == 0) return found;
      EXPECT_GT(walk->next, after) << "the walk goes on";
      after = walk->next;
    }
    ADD_FAILURE() << "a walk without end";
    return found;
  }

  shingled::testing::TemporaryDirectory directory_;
  engine::Seeded random_{7};
  std::unique_ptr<FuzzyTable> table_;
};

TEST_F(PartTableTest, AWalkOverAnEmptyTableEndsAtOnce) {
  EXPECT_TRUE(walk(kStores).empty());
  EXPECT_FALSE(parts().any());
}

// The rows of a digest may be in two slices, with its old part in either of them.
TEST_F(PartTableTest, AWalkFindsEveryOldPartWhereverASliceEnds) {
  auto transaction = table_->begin();
  ASSERT_TRUE(transaction);
  std::set<std::int64_t> old;
  std::int64_t id = 0;
  for (int i = 0; i < 200; ++i) {
    id += 1 + static_cast<std::int64_t>(random_() % 3);
    const auto count = 1 + static_cast<std::int64_t>(random_() % kStores);
    for (std::int64_t store = 0; store < count; ++store) {
      const std::uint32_t updated = random_() % 3 == 0 ? kOld : kOld + 1;
      if (updated <= kOld) old.insert(id);
      put(id, store, updated);
    }
  }
  ASSERT_TRUE(transaction->commit());
  for (std::int64_t most = kStores; most <= 40; ++most) {
    EXPECT_EQ(walk(most), old) << "slices of " << most;
  }
  EXPECT_EQ(walk(100'000), old) << "in one slice";
}

TEST_F(PartTableTest, AWalkEndsWhenTheLastSliceIsFull) {
  auto transaction = table_->begin();
  ASSERT_TRUE(transaction);
  for (std::int64_t store = 0; store < kStores; ++store) put(1, store, kOld);
  ASSERT_TRUE(transaction->commit());
  EXPECT_EQ(walk(kStores), (std::set<std::int64_t>{1})) << "as many rows as a slice has";
  EXPECT_EQ(walk(kStores + 1), (std::set<std::int64_t>{1}));
}

TEST_F(PartTableTest, StoresShinglesOnceAndDistinguishesThemFromNone) {
  auto transaction = table_->begin();
  ASSERT_TRUE(transaction);
  const Shingles of_row = engine::random_shingles(random_);
  const Shingles others = engine::random_shingles(random_);
  const std::map<std::int64_t, std::optional<Shingles>> wanted = {
      {0, of_row}, {1, others}, {2, std::nullopt}};
  for (const auto& [store, shingles] : wanted) {
    StoredPart stored{store, {}, 9};
    stored.part.flags.add({3, -4});
    stored.part.shingles = shingles;
    ASSERT_TRUE(parts().put(5, stored, of_row));
  }
  const auto read = parts().of(5, of_row);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->parts.size(), 3U);
  for (const StoredPart& stored : read->parts) {
    EXPECT_EQ(stored.part.shingles, wanted.at(stored.store)) << "store " << stored.store;
    EXPECT_EQ(stored.mark, 9U);
  }
  EXPECT_EQ(table_->database().integer("SELECT sum(length(shingle_set)) FROM parts").value(), 256);
  ASSERT_TRUE(parts().remove(5));
  EXPECT_TRUE(parts().of(5, of_row)->parts.empty());
}

}  // namespace
}  // namespace shingled::storage::sqlite
