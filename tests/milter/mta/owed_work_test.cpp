// What is deferred until an answer is sent is done once, by whoever comes first.
#include "milter/mta/owed_work.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

namespace shingled::milter::mta {
namespace {

TEST(OwedWork, IsDoneOnce) {
  OwedWork owed;
  std::array<int, 3> done{};
  std::vector<OwedWork::Number> numbers;
  for (int& times : done) numbers.push_back(owed.add([&times] { ++times; }));
  EXPECT_EQ(done, (std::array{0, 0, 0}));
  owed.do_one(numbers[1]);
  owed.do_one(numbers[1]);
  EXPECT_EQ(done, (std::array{0, 1, 0}));
  owed.do_all();
  EXPECT_EQ(done, (std::array{1, 1, 1}));
  owed.do_one(numbers[0]);
  owed.do_all();
  EXPECT_EQ(done, (std::array{1, 1, 1}));
}

TEST(OwedWork, ThatThrowsKeepsNobodyFromTheRest) {
  OwedWork owed;
  bool done = false;
  const auto first = owed.add([] { throw std::runtime_error("x"); });
  owed.do_one(first);
  static_cast<void>(owed.add([] { throw std::runtime_error("x"); }));
  static_cast<void>(owed.add([&] { done = true; }));
  owed.do_all();
  EXPECT_TRUE(done);
}

TEST(OwedWork, OfManyThreadsIsDoneOnceWhileTheServiceEnds) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 2000;
  OwedWork owed;
  std::atomic<std::size_t> done{0};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::size_t n = 0; n < kEach; ++n)
        owed.do_one(owed.add([&] { done.fetch_add(1, std::memory_order_relaxed); }));
    });
  }
  while (done.load(std::memory_order_relaxed) < kThreads * kEach) owed.do_all();
  threads.clear();
  owed.do_all();
  EXPECT_EQ(done, kThreads * kEach);
}

}  // namespace
}  // namespace shingled::milter::mta
