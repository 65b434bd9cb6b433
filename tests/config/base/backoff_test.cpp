#include "config/base/backoff.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace shingled {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Backoff, DoublesUpToTheMost) {
  const Backoff backoff{milliseconds(100), milliseconds(2000)};
  const std::vector<int> expected = {100, 200, 400, 800, 1600, 2000, 2000};
  for (std::uint32_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(backoff.wait(i), milliseconds(expected[i])) << i;
  }
}

TEST(Backoff, ReachesTheMostExactly) {
  const Backoff backoff{seconds(5), seconds(40)};
  EXPECT_EQ(backoff.wait(2), seconds(20));
  EXPECT_EQ(backoff.wait(3), seconds(40));
  EXPECT_EQ(backoff.wait(4), seconds(40));
}

TEST(Backoff, NeverOverflows) {
  constexpr std::uint32_t kMany = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ((Backoff{milliseconds(1), Duration::max()}.wait(kMany)), Duration::max());
  EXPECT_EQ((Backoff{Duration::zero(), seconds(1)}.wait(kMany)), Duration::zero());
  EXPECT_EQ((Backoff{seconds(9), seconds(3)}.wait(0)), seconds(3));
}

}  // namespace
}  // namespace shingled
