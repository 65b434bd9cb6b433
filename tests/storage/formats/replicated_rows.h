#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "tests/storage/formats/stored_rows.h"

namespace shingled::storage::formats {

/// A file that mirrors one other store and has mirrors itself. Rows 1 and 2 are its own. Row 3 has
/// a part of both stores, and row 4 only a part of the other store.
class ReplicatedRowsTest : public StoredRowsTest {
 protected:
  void SetUp() override {
    auto opened = sqlite::FuzzyTable::open(path_, Durability::kCommit);
    ASSERT_TRUE(opened) << opened.error().message;
    sqlite::FuzzyTable& table = **opened;
    ASSERT_TRUE(table.keep_journal(1000));
    auto transaction = table.begin();
    ASSERT_TRUE(transaction);
    sqlite::StoreTable& stores = table.replica().stores;
    const StoreId master{1, 2, 3};
    const auto claim = stores.claim(master, StoreKey{9});
    ASSERT_TRUE(claim);
    ASSERT_EQ(claim->number, 1);
    ASSERT_TRUE(stores.save(*claim, JournalPosition{77, 5}));
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(table.insert(random_row()));
    own_ = part({{7, 5}, {9, 1}});
    theirs_ = part({{8, 4}, {7, 2}});
    third_ = insert(table, {{0, own_, 0}, {1, theirs_, 0}});
    fourth_ = insert(table, {{1, part({{8, 1}}), 12}});
    sqlite::ReplicaTables& replica = table.replica();
    const Takeback asked{fourth_, master, 11, kPartsNow - 100};
    ASSERT_TRUE(replica.takebacks.add(asked, 1));
    ASSERT_TRUE(replica.journal.changed(fourth_, 4, kPartsNow));
    ASSERT_TRUE(replica.journal.asked(asked, kPartsNow));
    ASSERT_TRUE(replica.journal.answered({fourth_, master, 0}, kPartsNow));
    ASSERT_TRUE(transaction->commit());
  }

  Part part(std::initializer_list<FlagValue> flags) {
    const sqlite::FuzzyRow row = random_row();
    Part out{{}, kPartsNow - 100, kPartsNow - 50, row.source, row.shingles};
    for (const FlagValue& flag : flags) out.flags.add(flag);
    return out;
  }

  Digest insert(sqlite::FuzzyTable& table, const std::vector<sqlite::StoredPart>& parts) {
    std::vector<const Part*> all;
    for (const sqlite::StoredPart& one : parts) all.push_back(&one.part);
    const Part whole = merge(all);
    const sqlite::FuzzyRow row{0,
                               random_row().digest,
                               whole.flags,
                               whole.created,
                               whole.updated,
                               whole.source,
                               whole.shingles};
    const auto id = table.insert(row);
    EXPECT_TRUE(id);
    for (const sqlite::StoredPart& one : parts) {
      EXPECT_TRUE(table.replica().parts.put(*id, one, whole.shingles));
    }
    return row.digest;
  }

  static constexpr std::uint32_t kPartsNow = 1'700'000'200;
  Digest third_;
  Digest fourth_;
  Part own_;     ///< of row 3
  Part theirs_;  ///< of row 3
};

}  // namespace shingled::storage::formats
