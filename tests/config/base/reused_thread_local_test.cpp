#include "config/base/reused_thread_local.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <thread>
#include <vector>

namespace shingled {
namespace {

/// Runs so many threads at once; each says what it works with.
template <typename T>
std::set<const T*> run_at_once(std::size_t count) {
  std::latch all_have_one(static_cast<std::ptrdiff_t>(count));
  std::vector<const T*> objects(count);
  std::vector<std::jthread> threads;
  for (const T*& object : objects) {
    threads.emplace_back([&all_have_one, &object] {
      T& mine = ReusedThreadLocal<T>::of_this_thread();
      mine.uses += 1;
      object = &mine;
      all_have_one.arrive_and_wait();
    });
  }
  threads.clear();
  return {objects.begin(), objects.end()};
}

TEST(ReusedThreadLocal, PassesFromAThreadThatEndedToTheNext) {
  struct Tool {
    int uses = 0;
  };
  const auto first = run_at_once<Tool>(1);
  EXPECT_EQ(run_at_once<Tool>(1), first);
  EXPECT_EQ((*first.begin())->uses, 2);
}

TEST(ReusedThreadLocal, IsOneForEachThreadAtOneTime) {
  struct Tool {
    int uses = 0;
  };
  const auto first = run_at_once<Tool>(4);
  EXPECT_EQ(first.size(), 4U);
  EXPECT_EQ(run_at_once<Tool>(4), first);
}

TEST(ReusedThreadLocal, IsGivenUpWhereTooManyAreLeft) {
  static std::atomic<int> alive = 0;
  struct Tool {
    Tool() { ++alive; }
    ~Tool() { --alive; }
    Tool(const Tool&) = delete;
    Tool& operator=(const Tool&) = delete;
    int uses = 0;
  };
  run_at_once<Tool>(ReusedThreadLocal<Tool>::kLeftMax + 5);
  EXPECT_EQ(alive, static_cast<int>(ReusedThreadLocal<Tool>::kLeftMax));
}

}  // namespace
}  // namespace shingled
