#include "config/base/at_most_every.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace shingled {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(AtMostEvery, PassesAtOnceAndThenOnceInEachInterval) {
  AtMostEvery line(minutes(1));
  const TimePoint start{};
  EXPECT_TRUE(line.pass(start));
  EXPECT_FALSE(line.pass(start));
  EXPECT_FALSE(line.pass(start + seconds(59)));
  EXPECT_TRUE(line.pass(start + seconds(60)));
  EXPECT_FALSE(line.pass(start + seconds(119)));
  EXPECT_TRUE(line.pass(start + minutes(5)));
}

TEST(AtMostEvery, OneThatIsGivenBackDoesNotCount) {
  AtMostEvery line(minutes(1));
  EXPECT_TRUE(line.pass(TimePoint()));
  line.give_back();
  EXPECT_TRUE(line.pass(TimePoint()));
  EXPECT_FALSE(line.pass(TimePoint()));
}

TEST(AtMostEvery, OfSeveralThreadsOnePasses) {
  constexpr int kThreads = 4;
  AtMostEvery line(minutes(1));
  std::atomic<int> passed{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int again = 0; again < 1000; ++again) passed += line.pass(TimePoint()) ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(passed, 1);
}

}  // namespace
}  // namespace shingled
