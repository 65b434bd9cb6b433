// The messages that the end of the service waits for. A test that waits for the far deadline hangs.
#include "milter/mta/traffic.h"

#include <gtest/gtest.h>

#include <thread>

namespace shingled::milter::mta {
namespace {

TimePoint far() { return std::chrono::steady_clock::now() + std::chrono::hours(1); }

TEST(Traffic, IsClosedAtOnceWithoutMessages) {
  Traffic traffic;
  EXPECT_EQ(traffic.drain(far()), 0U);
  EXPECT_FALSE(traffic.enter());
}

TEST(Traffic, CountsAMessageOnceHoweverOftenItIsNoted) {
  Traffic traffic;
  Traffic::Message message;
  traffic.set_under_way(message, true);
  traffic.set_under_way(message, true);
  EXPECT_EQ(traffic.messages(), 1U);
  traffic.set_under_way(message, false);
  traffic.set_under_way(message, false);
  EXPECT_EQ(traffic.messages(), 0U);
}

TEST(Traffic, ReturnsTheMessagesCutOffAtTheDeadline) {
  Traffic traffic;
  Traffic::Message first;
  Traffic::Message second;
  traffic.set_under_way(first, true);
  traffic.set_under_way(second, true);
  EXPECT_EQ(traffic.drain(TimePoint{}), 2U);
}

TEST(Traffic, ServesAMessageUnderWayToItsEnd) {
  Traffic traffic;
  Traffic::Message message;
  traffic.set_under_way(message, true);
  std::thread session([&] {
    // Every further step can begin until the message has ended.
    for (int step = 0; step < 1000; ++step) {
      ASSERT_TRUE(traffic.enter());
      if (step == 999) traffic.set_under_way(message, false);
      traffic.leave();
    }
  });
  EXPECT_EQ(traffic.drain(far()), 0U);
  session.join();
  EXPECT_FALSE(traffic.enter());
}

TEST(Traffic, DoesNotWaitForAMessageThatBeganLater) {
  Traffic traffic;
  Traffic::Message early;
  Traffic::Message late;
  traffic.set_under_way(early, true);
  std::thread session([&] {
    // `drain` waits for a message that was noted before it began. So the message is noted again and
    // again, until `drain` has begun.
    do {
      traffic.set_under_way(late, false);
      traffic.set_under_way(late, true);
    } while (late.awaited);
    traffic.set_under_way(early, false);
  });
  EXPECT_EQ(traffic.drain(far()), 0U);
  session.join();
  EXPECT_EQ(traffic.messages(), 1U);
}

TEST(Traffic, DoesAtItsEndWhatStepsOwe) {
  Traffic traffic;
  bool done = false;
  ASSERT_TRUE(traffic.enter());
  static_cast<void>(traffic.owed().add([&] {
    done = true;
    EXPECT_FALSE(traffic.enter()) << "no step begins that could owe more";
  }));
  traffic.leave();
  EXPECT_EQ(traffic.drain(far()), 0U);
  EXPECT_TRUE(done);
}

TEST(Traffic, WaitsForARunningStep) {
  Traffic traffic;
  ASSERT_TRUE(traffic.enter());
  bool left = false;
  std::thread session([&] {
    while (traffic.enter()) traffic.leave();  // until it is closed
    left = true;
    traffic.leave();
  });
  EXPECT_EQ(traffic.drain(TimePoint{}), 0U);
  EXPECT_TRUE(left);
  session.join();
}

TEST(Traffic, RequestsAStepToStopAfterTheDeadline) {
  Traffic traffic;
  ASSERT_TRUE(traffic.enter());
  std::thread session([&] {
    while (!traffic.stopping().stop_requested()) std::this_thread::yield();
    traffic.leave();
  });
  traffic.drain(std::chrono::steady_clock::now());
  session.join();
}

TEST(Traffic, DoesNotRequestAStopIfAStepEndsInTime) {
  Traffic traffic;
  ASSERT_TRUE(traffic.enter());
  std::thread session([&] {
    while (traffic.enter()) traffic.leave();
    traffic.leave();
  });
  traffic.drain(far());
  session.join();
  EXPECT_FALSE(traffic.stopping().stop_requested());
}

}  // namespace
}  // namespace shingled::milter::mta
