#include "config/base/guarded.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace shingled {
namespace {

TEST(Guarded, LosesNoUpdateOfAnyThread) {
  Guarded<int> count;
  constexpr int kThreads = 4;
  constexpr int kTimes = 10'000;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < kTimes; ++j) ++*count.lock();
      });
    }
  }
  EXPECT_EQ(*count.lock(), kThreads * kTimes);
}

TEST(Guarded, MakesItsDataInPlace) {
  Guarded<std::vector<int>> table(std::in_place, 3U, 7);
  EXPECT_EQ(table.lock()->size(), 3U);
  EXPECT_EQ(table.lock()->front(), 7);
}

}  // namespace
}  // namespace shingled
