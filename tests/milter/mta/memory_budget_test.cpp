#include "milter/mta/memory_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "config/options/message_memory.h"
#include "tests/support/manual_clock.h"

namespace shingled::milter::mta {
namespace {

using Use = MemoryBudget::Use;

constexpr std::uint64_t kMax = 800;

struct TakeCase {
  const char* why;
  Use held_as;
  std::uint64_t held;
  Use asked_as;
  std::uint64_t asked;
  bool taken;
};

TEST(MemoryBudget, DividesMemoryBetweenUses) {
  constexpr TakeCase kCases[] = {
      {"a small message may use the whole budget", Use::kSmall, 0, Use::kSmall, 800, true},
      {"a small message may not use more", Use::kSmall, 0, Use::kSmall, 801, false},
      {"small and large together may use the whole budget", Use::kAnalyze, 300, Use::kSmall, 500,
       true},
      {"together they may not use more", Use::kAnalyze, 300, Use::kSmall, 501, false},
      {"a large message leaves an eighth", Use::kSmall, 400, Use::kAnalyze, 300, true},
      {"a large message may not use the last eighth", Use::kSmall, 401, Use::kAnalyze, 300, false},
      {"memory of small messages counts for large ones", Use::kSmall, 301, Use::kReceive, 400,
       false},
      {"receiving leaves half to analyses", Use::kSmall, 0, Use::kReceive, 400, true},
      {"receiving may not use more than half", Use::kReceive, 400, Use::kReceive, 1, false},
      {"analyses may use the other half but for an eighth", Use::kReceive, 400, Use::kAnalyze, 300,
       true},
      {"analyses leave half to receiving", Use::kSmall, 0, Use::kAnalyze, 301, false},
      {"so a message is received whatever is analysed", Use::kAnalyze, 300, Use::kReceive, 400,
       true},
      {"a number near the end of the range", Use::kSmall, 1, Use::kSmall, ~std::uint64_t{0}, false},
  };
  for (const TakeCase& c : kCases) {
    MemoryBudget budget(kMax);
    ASSERT_TRUE(budget.take(c.held, c.held_as)) << c.why;
    EXPECT_EQ(budget.take(c.asked, c.asked_as), c.taken) << c.why;
    EXPECT_EQ(budget.used(), c.held + (c.taken ? c.asked : 0)) << c.why;
    if (c.taken) budget.give_back(c.asked, c.asked_as);
    budget.give_back(c.held, c.held_as);
    EXPECT_EQ(budget.used(), 0U) << c.why;
  }
}

TEST(MemoryBudget, HasRoomForEveryMessageThatTheLoaderAccepts) {
  constexpr std::uint64_t kMebibyte = 1024UL * 1024;
  for (const std::uint64_t bytes :
       {std::uint64_t{1024}, kMebibyte, 50 * kMebibyte, 2048 * kMebibyte}) {
    std::uint64_t max = 16 * kMebibyte;
    while (!fits_memory(bytes, max)) max += kMebibyte;
    MemoryBudget budget(max);
    EXPECT_TRUE(budget.take(memory_to_receive(bytes), Use::kReceive)) << bytes;
    // Other messages that are received at the same time cannot keep it from ending.
    while (budget.take(1024, Use::kReceive)) continue;
    EXPECT_TRUE(budget.take(memory_to_analyze(bytes), Use::kAnalyze)) << bytes;
  }
  EXPECT_TRUE(fits_memory(50 * kMebibyte, 304 * kMebibyte)) << "as shingled.yaml says";
  EXPECT_FALSE(fits_memory(50 * kMebibyte, 303 * kMebibyte));
}

TEST(MemoryBudget, WaitsUntilMemoryIsGivenBack) {
  const SystemClock clock;
  MemoryBudget budget(kMax);
  ASSERT_TRUE(budget.take(300, Use::kAnalyze));
  std::thread other([&] { budget.give_back(300, Use::kAnalyze); });
  EXPECT_TRUE(
      budget.await(200, Use::kAnalyze, {clock, clock.now() + std::chrono::hours(1), {}, {}}));
  other.join();
  EXPECT_EQ(budget.used(), 200U);
}

TEST(MemoryBudget, CallsMeanwhileEverySecondAndGivesUpAtTheDeadline) {
  shingled::testing::ManualClock clock;
  MemoryBudget budget(kMax);
  ASSERT_TRUE(budget.take(300, Use::kAnalyze));
  int seconds = 0;
  const auto meanwhile = [&] {
    ++seconds;
    clock.advance(std::chrono::seconds(1));
  };
  EXPECT_FALSE(budget.await(100, Use::kAnalyze,
                            {clock, clock.now() + std::chrono::seconds(7), {}, meanwhile}));
  EXPECT_EQ(seconds, 7);
  EXPECT_EQ(budget.used(), 300U);
  MetricReport report;
  budget.report(report);
  EXPECT_EQ(report.total("shingled_mail_memory_refused", {{"at", "analysis"}}), 1);
  EXPECT_EQ(report.total("shingled_mail_memory_waits"), 1);
  EXPECT_EQ(report.total("shingled_mail_memory_peak_bytes"), 300);
}

TEST(MemoryBudget, StopsWaitingOnRequest) {
  const SystemClock clock;
  MemoryBudget budget(kMax);
  ASSERT_TRUE(budget.take(300, Use::kAnalyze));
  std::stop_source stop;
  std::thread other([&] { stop.request_stop(); });
  EXPECT_FALSE(budget.await(100, Use::kAnalyze,
                            {clock, clock.now() + std::chrono::hours(1), stop.get_token(), {}}));
  other.join();
}

TEST(MemoryBudget, ServesALargeRequestBeforeALaterSmallOne) {
  shingled::testing::ManualClock clock;
  MemoryBudget budget(kMax);
  ASSERT_TRUE(budget.take(200, Use::kAnalyze));
  bool passed = true;
  // While the first waits for 250, another needs 100. There is room for it, but it waits.
  const auto meanwhile = [&] {
    clock.advance(std::chrono::seconds(1));
    passed = budget.await(100, Use::kAnalyze, {clock, clock.now(), {}, {}});
  };
  EXPECT_FALSE(budget.await(250, Use::kAnalyze,
                            {clock, clock.now() + std::chrono::seconds(1), {}, meanwhile}));
  EXPECT_FALSE(passed);
  EXPECT_TRUE(budget.await(100, Use::kAnalyze, {clock, clock.now(), {}, {}}))
      << "now it is its turn";
}

TEST(MemoryBudget, IsNeverOverdrawnByManyThreads) {
  const SystemClock clock;
  MemoryBudget budget(kMax);
  std::atomic<std::uint64_t> held{0};
  std::atomic<bool> overdrawn{false};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        const Use use = t % 2 == 0 ? Use::kSmall : Use::kAnalyze;
        for (std::uint64_t i = 0; i < 500; ++i) {
          const std::uint64_t bytes = 100 + i % 200;
          ASSERT_TRUE(
              budget.await(bytes, use, {clock, clock.now() + std::chrono::hours(1), {}, {}}));
          if ((held += bytes) > kMax) overdrawn = true;
          held -= bytes;
          budget.give_back(bytes, use);
        }
      });
    }
  }
  EXPECT_FALSE(overdrawn);
  EXPECT_EQ(budget.used(), 0U);
}

TEST(MemoryLease, GivesItsMemoryBack) {
  const auto budget = std::make_shared<MemoryBudget>(kMax);
  {
    MemoryLease lease(budget, Use::kSmall);
    EXPECT_TRUE(lease.hold(100, Use::kSmall));
    EXPECT_TRUE(lease.hold(300, Use::kReceive));
    EXPECT_EQ(budget->used(), 300U) << "the old and the new amount are not added";
    EXPECT_FALSE(lease.hold(500, Use::kReceive));
    EXPECT_EQ(budget->used(), 300U) << "nothing changed";
    MemoryLease moved = std::move(lease);
    EXPECT_EQ(budget->used(), 300U);
  }
  EXPECT_EQ(budget->used(), 0U);
}

}  // namespace
}  // namespace shingled::milter::mta
