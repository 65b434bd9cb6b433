// Covers storage/open_store.cpp.
#include <gmock/gmock.h>

#include "storage/open_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage {
namespace {

TEST(OpenBuckets, OpensTheStoreThatTheOptionsAskFor) {
  const testing::TemporaryDirectory folder;
  testing::ManualClock clock;
  NullLogger logger;
  SystemRandom random;
  MailLimitOptions options;
  options.buckets_max = 1000;
  options.file = folder.file("own.db");
  const LeakRate rate(0.001, 1);
  const buckets::BucketDemand what{"to:{a}", rate};
  for (const bool first : {true, false}) {
    const auto store = open_buckets(options, clock, random, logger);
    ASSERT_TRUE(store);
    EXPECT_EQ((*store)->take({&what, 1}, clock.now()).taken, first);
  }
  options.file.clear();
  for (int i = 0; i < 2; ++i) {
    const auto store = open_buckets(options, clock, random, logger);
    ASSERT_TRUE(store);
    EXPECT_TRUE((*store)->take({&what, 1}, clock.now()).taken)
        << "without a file the buckets are lost";
  }
  options.file = folder.file("no/such/folder");
  const auto store = open_buckets(options, clock, random, logger);
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, ::testing::StartsWith("ratelimit.file: "));
}

}  // namespace
}  // namespace shingled::storage
