#include "config/base/periodic_task.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <future>
#include <latch>
#include <semaphore>
#include <string>

namespace shingled {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(PeriodicTask, WorksAgainAfterEachPause) {
  std::latch times(3);
  PeriodicTask task("test", milliseconds(1), [&](const std::stop_token& stop) {
    if (!times.try_wait()) times.count_down();
    EXPECT_TRUE(stop.stop_possible());
  });
  times.wait();
}

TEST(PeriodicTask, WorksWhenToldAndNotBefore) {
  int times = 0;
  std::binary_semaphore done(0);
  for (const auto pause : {std::optional<milliseconds>(), std::optional<milliseconds>(hours(1))}) {
    PeriodicTask task("test", pause, [&](const std::stop_token&) {
      ++times;
      done.release();
    });
    task.wake();
    done.acquire();
    task.wake();
    done.acquire();
  }
  EXPECT_EQ(times, 4);
}

TEST(PeriodicTask, OneThatIsToldWhileItWorksWorksOnceMore) {
  int times = 0;
  std::binary_semaphore begun(0);
  std::binary_semaphore go_on(0);
  {
    PeriodicTask task("test", std::nullopt, [&](const std::stop_token&) {
      ++times;
      begun.release();
      go_on.acquire();
    });
    task.wake();
    begun.acquire();
    task.wake();
    task.wake();
    go_on.release();
    begun.acquire();
    go_on.release();
  }
  EXPECT_EQ(times, 2);
}

TEST(PeriodicTask, TheEndWaitsForTheWorkAndBeginsNone) {
  int times = 0;
  bool was_told_to_stop = false;
  std::binary_semaphore begun(0);
  {
    PeriodicTask task("test", std::nullopt, [&](const std::stop_token& stop) {
      ++times;
      std::promise<void> stopped;
      const std::stop_callback told(stop, [&] { stopped.set_value(); });
      begun.release();
      stopped.get_future().wait();
      was_told_to_stop = true;
    });
    task.wake();
    begun.acquire();
    task.wake();
    task.request_stop();
  }
  EXPECT_EQ(times, 1);
  EXPECT_TRUE(was_told_to_stop);
}

TEST(PeriodicTask, HasAName) {
  std::promise<std::string> name;
  PeriodicTask task("a name", std::nullopt, [&](const std::stop_token&) {
    std::array<char, 16> text{};
    ::pthread_getname_np(::pthread_self(), text.data(), text.size());
    name.set_value(text.data());
  });
  task.wake();
  EXPECT_EQ(name.get_future().get(), "a name");
}

}  // namespace
}  // namespace shingled
