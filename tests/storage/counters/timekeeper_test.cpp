#include "storage/counters/timekeeper.h"

#include <gtest/gtest.h>

namespace shingled::storage::counters {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kStart = 1'700'000'000;

class TimekeeperTest : public ::testing::Test {
 protected:
  /// `passed` seconds later, with the time of day moved by `jump` more.
  std::int64_t step(std::int64_t passed, std::int64_t jump = 0) {
    steady_ += std::chrono::seconds(passed);
    wall_ += passed + jump;
    return keeper_.now(WallTime(std::chrono::seconds(wall_)), steady_).time_since_epoch().count() -
           kStart;
  }
  void restart() {
    keeper_ = Timekeeper(keeper_.state());
    steady_ = TimePoint(std::chrono::seconds(5));
  }

  Timekeeper keeper_{Timekeeper::State{}};
  std::int64_t wall_ = kStart;
  TimePoint steady_{std::chrono::hours(9)};
};

TEST_F(TimekeeperTest, FollowsTheTimeOfDay) {
  EXPECT_EQ(step(0), 0);
  EXPECT_EQ(step(10), 10);
  EXPECT_EQ(step(kDay), kDay + 10);
  EXPECT_TRUE(keeper_.may_expire());
}

TEST_F(TimekeeperTest, GoesOnWhenTheClockIsSetBackByLessThanADay) {
  step(0);
  EXPECT_EQ(step(10, -kHour), 10);
  EXPECT_EQ(step(10), 20);
  EXPECT_EQ(step(0, kHour), 20);  // set right again
  EXPECT_EQ(step(5), 25);
  restart();
  EXPECT_EQ(step(0, -kHour), 25);
  EXPECT_EQ(step(7), 32);
}

TEST_F(TimekeeperTest, FollowsAClockThatGoesBackByADay) {
  step(0);
  EXPECT_EQ(step(0, -kDay), -kDay);
  EXPECT_EQ(step(10), 10 - kDay);
}

TEST_F(TimekeeperTest, DeletesNothingForADayAfterAJumpAhead) {
  step(0);
  EXPECT_EQ(step(0, kHour), kHour);
  EXPECT_TRUE(keeper_.may_expire()) << "an hour does no harm";
  EXPECT_EQ(step(0, kHour + 1), 2 * kHour + 1);
  EXPECT_FALSE(keeper_.may_expire());
  EXPECT_EQ(step(1, 365 * kDay), 365 * kDay + 2 * kHour + 2);
  EXPECT_FALSE(keeper_.may_expire());
  step(kDay - 2);
  EXPECT_FALSE(keeper_.may_expire());
  restart();
  step(0);
  EXPECT_FALSE(keeper_.may_expire());
  step(3);
  EXPECT_TRUE(keeper_.may_expire());
}

TEST_F(TimekeeperTest, TrustsAClockThatIsSetRightAfterAJump) {
  step(0);
  step(1, 365 * kDay);
  EXPECT_FALSE(keeper_.may_expire());
  EXPECT_EQ(step(1, -365 * kDay), 2);
  EXPECT_TRUE(keeper_.may_expire());
}

TEST_F(TimekeeperTest, DoubtsAStartMuchLaterThanTheEnd) {
  step(0);
  restart();
  step(0, 2 * kDay);
  EXPECT_TRUE(keeper_.may_expire()) << "a weekend";
  restart();
  step(0, 2 * kDay + 1);
  EXPECT_FALSE(keeper_.may_expire());
  step(kDay);
  EXPECT_TRUE(keeper_.may_expire());
}

TEST_F(TimekeeperTest, SecondsAreNotLostBetweenQuickCalls) {
  step(0);
  wall_ -= kHour;
  for (int i = 0; i < 10; ++i) {
    steady_ += std::chrono::milliseconds(700);
    keeper_.now(WallTime(std::chrono::seconds(wall_)), steady_);
  }
  EXPECT_EQ(step(0), 7);
}

}  // namespace
}  // namespace shingled::storage::counters
