#include "milter/reports/teaching.h"

#include <gtest/gtest.h>

#include "tests/support/fake_store.h"

namespace shingled::milter::reports {
namespace {

using storage::Update;
using storage::sqlite::HashChange;
using testing::FakeStore;

HashChange change(std::int32_t taught, std::int32_t wanted, std::int32_t seen) {
  HashChange out;
  out.hash.flag = 11;
  out.hash.fingerprint.digest.bytes[0] = 7;
  out.taught = taught;
  out.wanted = wanted;
  out.seen = seen;
  return out;
}

TEST(Teaching, SendsTheDifference) {
  struct Row {
    const char* why;
    HashChange change;
    std::optional<Update::Kind> kind;
    std::int32_t value;
  };
  for (const Row& row : {
           Row{"it is new", change(0, 2, 0), Update::Kind::kAdd, 2},
           Row{"others have it, too", change(2, 3, 40), Update::Kind::kAdd, 1},
           Row{"some of it goes", change(3, 2, 5), Update::Kind::kAdd, -1},
           Row{"nobody else taught it", change(3, 0, 3), Update::Kind::kDelete, -3},
           Row{"what others taught stays", change(3, 0, 4), Update::Kind::kAdd, -3},
           Row{"somebody deleted it", change(3, 0, 0), std::nullopt, 0},
           Row{"somebody took a part of it", change(3, 0, 1), Update::Kind::kDelete, -1},
           Row{"nothing to do", change(3, 3, 3), std::nullopt, 0},
       }) {
    FakeStore store;
    const std::array changes = {row.change};
    ASSERT_TRUE(teach(store, changes)) << row.why;
    const auto updates = store.updates();
    ASSERT_EQ(updates.size(), row.kind ? 1U : 0U) << row.why;
    if (!row.kind) continue;
    EXPECT_EQ(updates[0].kind, *row.kind) << row.why;
    EXPECT_EQ(updates[0].flag, 11U) << row.why;
    EXPECT_EQ(updates[0].value, row.value) << row.why;
  }
}

TEST(Teaching, ReadsTheWeightOfOneList) {
  FakeStore store;
  storage::sqlite::ReportedHash hash;
  hash.flag = 11;
  EXPECT_EQ(stored_weight(store, hash, 0), 0);
  store.knows_all = storage::FlagValue{11, 5};
  EXPECT_EQ(stored_weight(store, hash, 0), 5);
  hash.flag = 12;
  EXPECT_EQ(stored_weight(store, hash, 0), 0);
}

}  // namespace
}  // namespace shingled::milter::reports
