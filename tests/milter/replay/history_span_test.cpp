#include "milter/replay/history_span.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace shingled::milter::replay {
namespace {

constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};
constexpr std::int64_t kSecond = 1'000'000;

TEST(HistorySpan, TakesTimesAgoAndMoments) {
  const auto ago = span_of({.since = "1h", .until = "1m"}, kNow);
  ASSERT_TRUE(ago);
  EXPECT_EQ(ago->since, (1'800'000'000 - 3600) * kSecond);
  EXPECT_EQ(ago->until, (1'800'000'000 - 60) * kSecond);
  const auto moments = span_of({.since = "2026-11-23", .until = "2026-11-23T22:10:05Z"}, kNow);
  ASSERT_TRUE(moments);
  EXPECT_EQ(moment_text(moments->since), "2026-11-23T00:00:00Z");
  EXPECT_EQ(moment_text(moments->until), "2026-11-23T22:10:05Z");
  EXPECT_EQ(moment_text(span_of({.since = "2026-11-23T22:10", .until = ""}, kNow)->since),
            "2026-11-23T22:10:00Z");
  const auto all = span_of({}, kNow);
  EXPECT_EQ(all->since, 0);
  EXPECT_EQ(all->until, INT64_MAX);
}

TEST(HistorySpan, RefusesOtherTexts) {
  for (const char* text : {"yesterday", "7", "2026-13-01", "2026-02-30", "2026-11-23T25:00",
                           "2026-11-23 22:10", "2026-11-23T22:10:05+01", "2026-1-1", "-1d"}) {
    const auto span = span_of({.since = text, .until = ""}, kNow);
    ASSERT_FALSE(span) << text;
    EXPECT_NE(span.error().message.find("--since " + std::string(text)), std::string::npos);
    EXPECT_FALSE(span_of({.since = "", .until = text}, kNow)) << text;
  }
}

TEST(HistorySpan, ShowsMomentsOfAnyTime) {
  EXPECT_EQ(moment_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(moment_text(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(moment_text(1'700'000'000 * kSecond + 999'999), "2023-11-14T22:13:20Z");
}

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
