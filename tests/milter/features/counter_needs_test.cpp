#include "milter/features/counter_needs.h"

#include <gtest/gtest.h>

namespace shingled::milter::features {
namespace {

Window window(const char* text) { return storage::counters::parse_window(text).value(); }

TEST(CounterNeeds, OfTwoAreThoseOfBothEachOnce) {
  const CounterNeeds rules = {{PieceType::kSender, {window("1d"), window("1h")}},
                              {PieceType::kLink, {window("10m")}}};
  const CounterNeeds history = {{PieceType::kSender, {window("14d"), window("1d")}},
                                {PieceType::kClient, {window("1d")}}};
  const CounterNeeds both = {{PieceType::kSender, {window("1d"), window("1h"), window("14d")}},
                             {PieceType::kLink, {window("10m")}},
                             {PieceType::kClient, {window("1d")}}};
  EXPECT_EQ(union_of(rules, history), both);
  EXPECT_EQ(union_of(rules, {}), rules);
  EXPECT_EQ(union_of({}, rules), rules);
  EXPECT_EQ(union_of(both, rules), both);
}

TEST(CounterNeeds, AreFoundByTheirType) {
  const CounterNeeds needs = {{PieceType::kSender, {window("1d")}}};
  EXPECT_EQ(find_need(needs, PieceType::kSender), &needs[0]);
  EXPECT_EQ(find_need(needs, PieceType::kLink), nullptr);
}

}  // namespace
}  // namespace shingled::milter::features
