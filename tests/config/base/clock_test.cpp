#include "config/base/clock.h"

#include <gtest/gtest.h>

namespace shingled {
namespace {

TEST(Clock, GivesUnixSecondsAs32Bits) {
  EXPECT_EQ(unix_seconds(WallTime{}), 0U);
  EXPECT_EQ(unix_seconds(WallTime(std::chrono::seconds(1'700'000'000))), 1'700'000'000U);
  EXPECT_EQ(unix_seconds(WallTime(std::chrono::seconds(0xFFFF'FFFF))), 0xFFFF'FFFFU);
}

}  // namespace
}  // namespace shingled
