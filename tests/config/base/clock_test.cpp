#include "config/base/clock.h"

#include <gtest/gtest.h>

namespace shingled {
namespace {

TEST(Clock, GivesUnixSecondsAs32Bits) {
  EXPECT_EQ(unix_seconds(WallTime{}), 0U);
  EXPECT_EQ(unix_seconds(WallTime(std::chrono::seconds(1'700'000'000))), 1'700'000'000U);
  EXPECT_EQ(unix_seconds(WallTime(std::chrono::seconds(0xFFFF'FFFF))), 0xFFFF'FFFFU);
}

TEST(SystemClock, DoesNotRunBackwardsAndKnowsTheYear) {
  const SystemClock clock;
  const TimePoint before = clock.now();
  EXPECT_GE(clock.now(), before);
  EXPECT_GT(clock.wall(), WallTime(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)));
}

}  // namespace
}  // namespace shingled
