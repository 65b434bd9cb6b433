#include "milter/reports/teaching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>

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
    Teacher teacher;
    ASSERT_TRUE(teacher.teach(store, changes)) << row.why;
    const auto updates = store.updates();
    ASSERT_EQ(updates.size(), row.kind ? 1U : 0U) << row.why;
    if (!row.kind) continue;
    EXPECT_EQ(updates[0].kind, *row.kind) << row.why;
    EXPECT_EQ(updates[0].flag, 11U) << row.why;
    EXPECT_EQ(updates[0].value, row.value) << row.why;
  }
}

TEST(Teaching, ReadsTheWeightsOfLists) {
  FakeStore store;
  std::array<storage::sqlite::ReportedHash, 2> hashes;
  hashes[0].flag = 11;
  hashes[1].flag = 12;
  EXPECT_THAT(*stored_weights(store, hashes, 0), ::testing::ElementsAre(0, 0));
  store.knows_all = storage::FlagValue{11, 5};
  EXPECT_THAT(*stored_weights(store, hashes, 0), ::testing::ElementsAre(5, 0));
  store.go_away();
  const auto away = stored_weights(store, hashes, 0);
  ASSERT_FALSE(away) << "not known is not zero";
  EXPECT_EQ(away.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(stored_weights(store, {}, 0));
}

TEST(Teaching, WaitsForWhatIsUnderWay) {
  FakeStore store(FakeStore::Commit::kWhenTold);
  const std::array changes = {change(0, 2, 0)};
  Teacher teacher({.teach = std::chrono::milliseconds(0), .settle = std::chrono::milliseconds(0)});
  EXPECT_EQ(teacher.teach(store, changes).error().code, ErrorCode::kTimeout);
  EXPECT_EQ(teacher.settle().error().code, ErrorCode::kTimeout);
  EXPECT_EQ(store.commit(Error{ErrorCode::kUnavailable, "full"}), 1U);
  EXPECT_TRUE(teacher.settle()) << "whether it was made is read from the storage";
  EXPECT_EQ(store.waiting(), 0U);
}

}  // namespace
}  // namespace shingled::milter::reports
