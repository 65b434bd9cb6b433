#include "storage/server/connection_table.h"

#include <gtest/gtest.h>

namespace shingled::storage {
namespace {

using Verdict = ConnectionTable::Verdict;

TEST(ConnectionTable, BoundsEverySourceAndAllTogether) {
  constexpr ConnectionTable::Limits kLimits{4, 2};
  ConnectionTable table;
  struct Step {
    const char* why;
    const char* enters;
    const char* leaves;
    Verdict verdict;
  };
  constexpr Step kSteps[] = {
      {"the first", "192.0.2.1", nullptr, Verdict::kEntered},
      {"the second", "192.0.2.1", nullptr, Verdict::kEntered},
      {"a third of one source", "192.0.2.1", nullptr, Verdict::kSourceFull},
      {"its neighbour is another source", "192.0.2.2", nullptr, Verdict::kEntered},
      {"one of IPv6", "2001:db8::1", nullptr, Verdict::kEntered},
      {"a fifth", "192.0.2.3", nullptr, Verdict::kFull},
      {"a place is free again", "2001:db8::ffff", "192.0.2.1", Verdict::kEntered},
      {"a third of one /64", "2001:db8::2", "192.0.2.2", Verdict::kSourceFull},
      {"the next /64", "2001:db8:0:1::1", nullptr, Verdict::kEntered},
      {"all is taken again", "192.0.2.1", nullptr, Verdict::kFull},
  };
  for (const Step& step : kSteps) {
    if (step.leaves != nullptr) table.leave(*IpAddress::parse(step.leaves));
    EXPECT_EQ(table.enter(*IpAddress::parse(step.enters), kLimits), step.verdict) << step.why;
  }
  EXPECT_EQ(table.size(), 4U);
}

TEST(ByteBudget, GivesNoMoreThanThereIs) {
  ByteBudget budget;
  EXPECT_TRUE(budget.take(60, 100));
  EXPECT_FALSE(budget.take(41, 100));
  EXPECT_EQ(budget.held(), 60U);
  EXPECT_TRUE(budget.take(40, 100));
  budget.give_back(50);
  EXPECT_FALSE(budget.take(1, 50)) << "a reload may have made it smaller";
  EXPECT_TRUE(budget.take(1, 51));
}

}  // namespace
}  // namespace shingled::storage
