#include "storage/counters/sealed/unique_doubts.h"

#include <gtest/gtest.h>

namespace shingled::storage::counters {

namespace {

constexpr CounterKey kUnique{7, PieceType::kUniqueSenders, Direction::kIn};
constexpr CounterKey kOther{8, PieceType::kUniqueSenders, Direction::kIn};
constexpr Day kToday = 20'000;
constexpr Slot kNow = kToday * kSlotsPerDay + 100;

TEST(UniqueDoubts, ConcernTheWindowsThatHaveTheirPeriod) {
  struct Case {
    const char* why;
    Period period;
    Window window;
    bool concerns;
  };
  for (const Case& c : {
           Case{"today", {Period::Unit::kDay, kToday}, {Period::Unit::kDay, 1, 0}, true},
           Case{"today is left out",
                {Period::Unit::kDay, kToday},
                {Period::Unit::kDay, 3, 1},
                false},
           Case{"the oldest day",
                {Period::Unit::kDay, kToday - 2},
                {Period::Unit::kDay, 3, 0},
                true},
           Case{"a day too old",
                {Period::Unit::kDay, kToday - 3},
                {Period::Unit::kDay, 3, 0},
                false},
           Case{"a day is no slot",
                {Period::Unit::kDay, kToday},
                {Period::Unit::kSlot, 144, 0},
                false},
           Case{"this slot", {Period::Unit::kSlot, kNow}, {Period::Unit::kSlot, 1, 0}, true},
           Case{"the slot before",
                {Period::Unit::kSlot, kNow - 1},
                {Period::Unit::kSlot, 1, 0},
                false},
       }) {
    UniqueDoubts doubts;
    doubts.add(kUnique, c.period);
    EXPECT_EQ(doubts.concern(kUnique, c.window, kNow), c.concerns) << c.why;
    EXPECT_FALSE(doubts.concern(kOther, c.window, kNow)) << c.why;
  }
}

TEST(UniqueDoubts, AreSavedOnceAndTakenUpAgain) {
  UniqueDoubts doubts;
  doubts.add(kUnique, {Period::Unit::kDay, kToday});
  doubts.add(kUnique, {Period::Unit::kDay, kToday});
  const auto rows = doubts.unsaved();
  ASSERT_EQ(rows.size(), 1U);
  doubts.note_saved(rows);
  EXPECT_TRUE(doubts.unsaved().empty());
  UniqueDoubts next;
  next.take(rows);
  EXPECT_TRUE(next.concern(kUnique, {Period::Unit::kDay, 1, 0}, kNow));
  EXPECT_TRUE(next.unsaved().empty());
  next.drop_before(kToday + 1);
  EXPECT_EQ(next.size(), 0U);
}

TEST(UniqueDoubts, ConcernAllWhenThereAreTooMany) {
  UniqueDoubts doubts;
  for (std::uint64_t i = 0; i < UniqueDoubts::kMax; ++i)
    doubts.add({100 + i, PieceType::kUniqueSenders, Direction::kIn}, {Period::Unit::kDay, kToday});
  EXPECT_FALSE(doubts.concern(kUnique, {Period::Unit::kDay, 1, 0}, kNow));
  doubts.add(kOther, {Period::Unit::kDay, kToday});
  EXPECT_TRUE(doubts.concern(kUnique, {Period::Unit::kDay, 1, 0}, kNow));
  EXPECT_EQ(doubts.size(), UniqueDoubts::kMax + 1);
}

}  // namespace

}  // namespace shingled::storage::counters
