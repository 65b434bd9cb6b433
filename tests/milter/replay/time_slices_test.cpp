#include "milter/replay/time_slices.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace shingled::milter::replay {
namespace {

RC_GTEST_PROP(TimeSlices, FollowEachOtherAndCoverTheSpan, ()) {
  const auto one = *rc::gen::arbitrary<std::int64_t>();
  const auto other = *rc::gen::arbitrary<std::int64_t>();
  const auto [first, last] = std::minmax(one, other);
  const TimeSlices slices({INT64_MIN, INT64_MAX}, {first, last});
  RC_ASSERT(slices.empty() == (first == INT64_MAX));
  RC_ASSERT(slices.at(0).since == first);
  for (std::uint64_t i = 1; i < TimeSlices::kCount; ++i)
    RC_ASSERT(slices.at(i).since == slices.at(i - 1).until);
  if (last < INT64_MAX) RC_ASSERT(slices.at(TimeSlices::kCount - 1).until == last + 1);
}

TEST(TimeSlices, AreEmptyOutsideTheHistory) {
  EXPECT_TRUE(TimeSlices({.since = 10, .until = 20}, {.first = 20, .last = 30}).empty());
  EXPECT_TRUE(TimeSlices({.since = 31, .until = 40}, {.first = 20, .last = 30}).empty());
  EXPECT_FALSE(TimeSlices({.since = 30, .until = 40}, {.first = 20, .last = 30}).empty());
}

}  // namespace
}  // namespace shingled::milter::replay
