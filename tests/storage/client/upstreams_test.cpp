#include "storage/client/upstreams.h"

#include <gtest/gtest.h>

namespace shingled::storage::client {
namespace {

using std::chrono::seconds;

constexpr RestPolicy kPolicy{3, seconds(100)};
constexpr TimePoint kStart{seconds(1'000'000)};

TEST(ServerBackoff, RestsOnlyAfterFailuresInARow) {
  ServerBackoff health;
  health.failed(kPolicy, kStart);
  health.failed(kPolicy, kStart);
  health.answered();
  health.failed(kPolicy, kStart);
  health.failed(kPolicy, kStart);
  EXPECT_TRUE(health.is_well(kStart));
  health.failed(kPolicy, kStart);
  EXPECT_FALSE(health.is_well(kStart));
  EXPECT_FALSE(health.is_well(kStart + seconds(99)));
  EXPECT_TRUE(health.is_well(kStart + seconds(100)));
}

TEST(ServerBackoff, RestsTwiceAsLongEachTimeUpToEightTimes) {
  ServerBackoff health;
  for (int i = 0; i < 3; ++i) health.failed(kPolicy, kStart);
  TimePoint now = kStart;
  for (const int length : {100, 200, 400, 800, 800, 800}) {
    EXPECT_FALSE(health.is_well(now + seconds(length - 1))) << length;
    now += seconds(length);
    EXPECT_TRUE(health.is_well(now)) << length;
    health.failed(kPolicy, now);  // one failure is enough now
  }
  health.answered();
  EXPECT_TRUE(health.is_well(now));
  for (int i = 0; i < 3; ++i) health.failed(kPolicy, now);
  EXPECT_TRUE(health.is_well(now + seconds(100))) << "an answer ends the back-off";
}

TEST(ServerBackoff, FailuresDuringARestDoNotLengthenIt) {
  ServerBackoff health;
  for (int i = 0; i < 50; ++i) health.failed(kPolicy, kStart);
  EXPECT_TRUE(health.is_well(kStart + seconds(100)));
}

TEST(ServerBackoff, IsDueForAProbeHalfWayAndRestsLongerIfItFails) {
  ServerBackoff health;
  EXPECT_FALSE(health.wants_probe(kStart)) << "it is well";
  for (int i = 0; i < 3; ++i) health.failed(kPolicy, kStart);
  EXPECT_FALSE(health.wants_probe(kStart + seconds(49)));
  const TimePoint probed = kStart + seconds(50);
  EXPECT_TRUE(health.wants_probe(probed));
  health.probe_failed(kPolicy, probed);
  EXPECT_FALSE(health.is_well(kStart + seconds(100))) << "messages do not use it";
  EXPECT_FALSE(health.wants_probe(probed + seconds(99)));
  EXPECT_TRUE(health.wants_probe(probed + seconds(100)));
  health.answered();
  EXPECT_TRUE(health.is_well(probed));
  EXPECT_FALSE(health.wants_probe(probed + seconds(1000)));
}

}  // namespace
}  // namespace shingled::storage::client
