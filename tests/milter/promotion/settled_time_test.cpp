#include "milter/promotion/settled_time.h"

#include <gtest/gtest.h>

namespace shingled::milter::promotion {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

TEST(SettledTime, ComesOnceADay) {
  constexpr WallTime kMidnight{std::chrono::days(20'000)};
  constexpr auto kOfDay = hours(2) + minutes(30);
  struct Case {
    const char* why;
    WallTime last;
    WallTime now;
    bool due;
  };
  for (const Case& c : {
           Case{"never judged", WallTime(), kMidnight, true},
           Case{"just judged", kMidnight + hours(12), kMidnight + hours(12), false},
           Case{"before the next settled time", kMidnight + hours(12), kMidnight + hours(26),
                false},
           Case{"at it", kMidnight + hours(12), kMidnight + hours(24) + kOfDay, true},
           Case{"judged at the start in the night, the settled time of the day comes",
                kMidnight + hours(1), kMidnight + kOfDay, true},
           Case{"judged at the settled time", kMidnight + kOfDay, kMidnight + hours(24), false},
           Case{"a day later", kMidnight + kOfDay, kMidnight + hours(24) + kOfDay, true},
           Case{"the machine was off for a month", kMidnight, kMidnight + hours(720), true},
           Case{"the clock was ahead and was set back", kMidnight + hours(9000), kMidnight, true},
       }) {
    EXPECT_EQ(is_due(c.last, c.now, kOfDay), c.due) << c.why;
  }
}

// Whatever the time of day is: at most a day passes, and never twice within the same.
TEST(SettledTime, IsNeverFurtherThanADay) {
  constexpr WallTime kStart{std::chrono::days(20'000)};
  for (auto of_day = minutes(0); of_day < hours(24); of_day += minutes(97)) {
    for (auto last = minutes(0); last < hours(24); last += minutes(61)) {
      EXPECT_TRUE(is_due(kStart + last, kStart + last + hours(24), of_day));
      int times = 0;
      WallTime judged = kStart + last;
      for (WallTime now = judged; now < kStart + last + hours(24 * 10); now += minutes(1)) {
        if (!is_due(judged, now, of_day)) continue;
        judged = now;
        ++times;
      }
      EXPECT_EQ(times, 10 - (last == of_day ? 1 : 0)) << of_day.count() << ' ' << last.count();
    }
  }
}

}  // namespace
}  // namespace shingled::milter::promotion
