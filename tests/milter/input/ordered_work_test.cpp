#include "milter/input/ordered_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <set>

namespace shingled::milter::input {
namespace {

TEST(OrderedWork, GivesEverythingInItsOrder) {
  for (const unsigned jobs : {0U, 1U, 2U, 7U, 64U, 1000U}) {
    for (const std::size_t count : {0U, 1U, 2U, 300U}) {
      std::vector<std::size_t> seen;
      in_order<std::size_t>(
          count, jobs, [](std::size_t i) { return i * i; },
          [&](std::size_t i, std::size_t square) {
            EXPECT_EQ(i * i, square);
            seen.push_back(i);
            return true;
          });
      std::vector<std::size_t> all(count);
      std::iota(all.begin(), all.end(), 0U);
      EXPECT_EQ(seen, all) << jobs << " jobs";
    }
  }
}

TEST(OrderedWork, BeginsNothingMuchAfterItWasStopped) {
  constexpr std::size_t kStopAt = 10;
  constexpr unsigned kJobs = 4;
  std::atomic<std::size_t> begun = 0;
  std::size_t taken = 0;
  in_order<int>(
      1'000'000, kJobs,
      [&](std::size_t) {
        ++begun;
        return 0;
      },
      [&](std::size_t i, int) {
        ++taken;
        return i + 1 < kStopAt;
      });
  EXPECT_EQ(taken, kStopAt);
  EXPECT_LE(begun, kStopAt + std::size_t{5} * kJobs) << "no more than wait for their turn";
}

TEST(OrderedWork, NeedsNoThreadForOneJob) {
  std::set<std::thread::id> threads;
  in_order<int>(
      5, 1,
      [&](std::size_t) {
        threads.insert(std::this_thread::get_id());
        return 0;
      },
      [](std::size_t, int) { return true; });
  EXPECT_THAT(threads, ::testing::ElementsAre(std::this_thread::get_id()));
}

}  // namespace
}  // namespace shingled::milter::input
