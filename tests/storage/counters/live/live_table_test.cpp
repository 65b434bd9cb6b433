#include "storage/counters/live/live_table.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace shingled::storage::counters {
namespace {

Amounts of(std::initializer_list<std::pair<Measure, std::uint64_t>> counts) {
  Amounts amounts;
  for (const auto& [measure, count] : counts) amounts.of(measure) = count;
  return amounts;
}

TEST(LiveTable, EqualsAMap) {
  // Shingles in a few ranges, so that cells are crowded and shards overflow.
  for (const std::uint64_t spread : {~0ULL, 0xFFFFULL, 0xFF00'0000'0000'00FFULL}) {
    std::mt19937_64 random(spread);
    LiveTable table(7);
    std::map<CounterKey, Amounts> expected;
    for (int step = 0; step < 30'000; ++step) {
      const CounterKey key{random() & spread,
                           random() % 2 == 0 ? PieceType::kLink : PieceType::kFrom,
                           static_cast<Direction>(random() % 2)};
      Amounts more = of({{Measure::kMass, 1}, {Measure::kBytes, random() % 100'000}});
      if (random() % 2 == 0) more.of(Measure::kHam) = 1;
      if (random() % 20 == 0) more = of({{static_cast<Measure>(random() % 8), random() | 1U}});
      for (std::uint64_t& count : more.counts) count = std::min(count, kCountMax);
      const std::uint64_t before = expected[key].of(Measure::kMass);
      ASSERT_EQ(table.add(key, more), before);
      expected[key] += more;
    }
    ASSERT_EQ(table.size(), expected.size());
    for (const auto& [key, amounts] : expected) ASSERT_EQ(table.find(key), amounts);
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

TEST(LiveTable, HasZerosForWhatWasNeverAdded) {
  LiveTable table(0);
  EXPECT_TRUE(table.find({5, PieceType::kFrom}).is_zero());
  table.add({5, PieceType::kFrom}, of({{Measure::kMass, 1}}));
  EXPECT_TRUE(table.find({5, PieceType::kFrom, Direction::kOut}).is_zero());
  EXPECT_TRUE(table.find({5, PieceType::kLink}).is_zero());
  EXPECT_TRUE(table.find({4, PieceType::kFrom}).is_zero());
}

TEST(LiveTable, KeepsCountsAtTheEdgesOfACell) {
  const Amounts kEdges[] = {
      of({{Measure::kMass, 8191}, {Measure::kRecipients, 65'535}, {Measure::kBytes, 0xFFFF'FFFF}}),
      of({{Measure::kMass, 8192}}),
      of({{Measure::kMass, 1}, {Measure::kRecipients, 65'536}}),
      of({{Measure::kMass, 1}, {Measure::kBytes, 0x1'0000'0000}}),
      of({{Measure::kMass, 3}, {Measure::kSpam, 3}}),
      of({{Measure::kMass, 3}, {Measure::kHam, 3}}),
      of({{Measure::kMass, 3}, {Measure::kSpam, 2}, {Measure::kHam, 1}}),
      of({{Measure::kMass, 3}, {Measure::kSpam, 3}, {Measure::kHam, 3}}),
      of({{Measure::kComplaint, 1}}),
      of({{Measure::kMass, 1}, {Measure::kFailed, 1}}),
      of({{Measure::kRecipients, 1}}),
      of({{Measure::kBytes, kCountMax}}),
  };
  LiveTable table(0);
  for (std::size_t i = 0; i < std::size(kEdges); ++i) {
    table.add({i, PieceType::kFrom}, kEdges[i]);
    EXPECT_EQ(table.find({i, PieceType::kFrom}), kEdges[i]) << i;
  }
}

TEST(LiveTable, TakesAtMost24BytesForACounter) {
  std::mt19937_64 random(1);
  LiveTable table(0);
  for (int i = 1; i <= 400'000; ++i) {
    table.add({random(), PieceType::kLink}, of({{Measure::kMass, 1}}));
    if (i % 50'000 == 0) {
      EXPECT_LE(table.memory_bytes() / table.size(), 24U) << i;
    }
  }
}

TEST(LiveTable, ExactlyOneOfManyThreadsFindsAPairNew) {
  LiveTable table(0);
  constexpr std::uint64_t kPairs = 2000;
  std::atomic<std::uint64_t> firsts{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::uint64_t pair = 0; pair < kPairs; ++pair)
        if (table.add({pair * 0x9E37'79B9'7F4A'7C15, PieceType::kSenderRecipient},
                      of({{Measure::kMass, 1}})) == 0)
          ++firsts;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(firsts, kPairs);
  EXPECT_EQ(table.size(), kPairs);
}

}  // namespace
}  // namespace shingled::storage::counters
