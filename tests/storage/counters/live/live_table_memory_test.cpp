// storage/counters/live/live_table.h without memory. This program replaces operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <new>
#include <random>
#include <vector>

#include "storage/counters/live/live_table.h"

namespace {

/// Allocations of this thread until one fails; negative: none fails.
thread_local long allocations_left = -1;

}  // namespace

// Not inlined, so that the compiler does not see free() being called for memory from new.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace shingled::storage::counters {
namespace {

struct Step {
  CounterKey key;
  Amounts more;
};

/// Crowded shards that overflow, and half of the counts too wide for a cell, each with a sum of its
/// own, so that two counters with one place would be seen.
std::vector<Step> steps_of(std::uint64_t spread, std::size_t count) {
  std::mt19937_64 random(spread);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < count; ++i) {
    Amounts more;
    more.of(Measure::kMass) = 1;
    more.of(Measure::kBytes) = i + 1;
    if (random() % 2 == 0) more.of(Measure::kComplaint) = i + 1;
    steps.push_back({CounterKey{random() & spread, PieceType::kLink}, more});
  }
  return steps;
}

/// Whether the step was counted, with the n-th allocation from now on failing until it returns.
bool counts_without_memory(LiveTable& table, const Step& step, long nth) {
  allocations_left = nth;
  try {
    table.add(step.key, step.more);
    allocations_left = -1;
    return true;
  } catch (const std::bad_alloc&) {
    allocations_left = -1;
    return false;
  }
}

TEST(LiveTableMemory, EveryEarlierCounterReadsItsValueAfterAnAllocationFailed) {
  for (const std::uint64_t spread : {~0ULL, 0xFFULL, 0xFF00'0000'0000'000FULL}) {
    LiveTable table(7);
    std::map<CounterKey, Amounts> expected;
    std::size_t failures = 0;
    for (const Step& step : steps_of(spread, 3000)) {
      // Fails at the first allocation, then at the second, until the step needs no more of them.
      for (long nth = 0; !counts_without_memory(table, step, nth); ++nth) {
        ++failures;
        ASSERT_EQ(table.size(), expected.size());
        for (const auto& [key, amounts] : expected) ASSERT_EQ(table.find(key), amounts);
      }
      expected[step.key] += step.more;
    }
    EXPECT_GT(failures, 3U) << "of a growth, of an overflow, of wide counts";
    ASSERT_EQ(table.size(), expected.size());
    auto next = expected.begin();
    table.for_each([&](const CounterKey& key, const Amounts& amounts) {
      ASSERT_NE(next, expected.end());
      ASSERT_EQ(key, next->first);
      ASSERT_EQ(amounts, next->second);
      ++next;
    });
    EXPECT_EQ(next, expected.end());
  }
}

// A counter that fails at each attempt must not take memory each time.
TEST(LiveTableMemory, FailedAdditionsTakeNoMemory) {
  const std::vector<Step> steps = steps_of(0xFF, 200);
  LiveTable calm(0);
  for (const Step& step : steps) calm.add(step.key, step.more);
  LiveTable table(0);
  for (const Step& step : steps)
    for (long attempt = 0; !counts_without_memory(table, step, attempt / 3);) ++attempt;
  EXPECT_EQ(table.memory_bytes(), calm.memory_bytes());
}

}  // namespace
}  // namespace shingled::storage::counters
