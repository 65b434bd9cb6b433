#include "milter/http/work_threads.h"

#include <gtest/gtest.h>

#include <atomic>

namespace shingled::milter::http {
namespace {

TEST(WorkThreads, DoAllWorkAlsoWhatWaitsAtTheEnd) {
  std::atomic<int> done{0};
  std::atomic<int> stopped{0};
  WorkThreads threads(2);
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(threads.add([&](const std::stop_token& stop) {
      ++done;
      if (stop.stop_requested()) ++stopped;
    }));
  }
  // These end only when a stop is requested.
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(threads.add([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      ++stopped;
    }));
  }
  threads.stop();
  EXPECT_EQ(done, 50);
  EXPECT_GE(stopped, 4);
  EXPECT_FALSE(threads.add([](const std::stop_token&) { FAIL(); }));
}

}  // namespace
}  // namespace shingled::milter::http
