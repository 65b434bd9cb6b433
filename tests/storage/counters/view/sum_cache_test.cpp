#include "storage/counters/view/sum_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <span>
#include <tuple>
#include <vector>

namespace shingled::storage::counters {
namespace {

const std::vector<Window> kTwo = {{Period::Unit::kSlot, 1, 0}, {Period::Unit::kDay, 14, 0}};

Amounts any_amounts(std::mt19937_64& random) {
  Amounts amounts;
  for (std::uint64_t& count : amounts.counts)
    if (random() % 2 == 0) count = random() >> (1 + random() % 63);
  return amounts;
}

TEST(SumCache, GivesTheSumsOfTheSameFilesSlotAndWindowsOnly) {
  SumCache cache(1 << 20U);
  const auto windows = cache.number_of(kTwo);
  ASSERT_TRUE(windows);
  const SumCache::Basis basis{7, 1000, *windows};
  const CounterKey key{5, PieceType::kFrom};
  Amounts most;
  most.counts.fill(kCountMax);
  const std::array<Amounts, 2> sums = {most, Amounts{}};
  std::array<Amounts, 2> got{};
  EXPECT_FALSE(cache.find(basis, key, got));
  cache.insert(basis, key, sums);
  ASSERT_TRUE(cache.find(basis, key, got));
  EXPECT_EQ(got, sums);
  EXPECT_FALSE(cache.find({8, 1000, *windows}, key, got));
  EXPECT_FALSE(cache.find({7, 1001, *windows}, key, got));
  EXPECT_FALSE(cache.find({7, 1000, *windows + 1}, key, got));
  EXPECT_FALSE(cache.find(basis, {5, PieceType::kFrom, Direction::kOut}, got));
  EXPECT_FALSE(cache.find(basis, {5, PieceType::kLink}, got));
  EXPECT_FALSE(cache.find(basis, {5 + 64, PieceType::kFrom}, got));
}

TEST(SumCache, WithoutMemoryHasNothing) {
  SumCache cache(0);
  const CounterKey key{5, PieceType::kFrom};
  const std::array<Amounts, 2> sums = {};
  std::array<Amounts, 2> got{};
  cache.prefetch(std::span(&key, 1));
  cache.insert({7, 1000, 1}, key, sums);
  EXPECT_FALSE(cache.find({7, 1000, 1}, key, got));
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(SumCache, StaysBelowItsBoundAndNeverGivesSumsOfAnother) {
  for (const std::uint64_t bytes_max : {0U, 100U, 5000U, 10'000U, 100'000U, 3'000'000U}) {
    SumCache cache(bytes_max);
    const auto windows = cache.number_of(kTwo);
    if (!windows) {
      EXPECT_EQ(cache.bytes(), 0U);
      continue;
    }
    std::mt19937_64 random(bytes_max);
    std::map<std::tuple<CounterKey, std::uint64_t>, std::array<Amounts, 2>> all;
    std::uint64_t found = 0;
    for (int i = 0; i < 20'000; ++i) {
      const CounterKey key{random() % 2000,
                           random() % 2 == 0 ? PieceType::kFrom : PieceType::kLink};
      const SumCache::Basis basis{random() % 3, 1000, *windows};
      const auto [known, is_new] = all.try_emplace({key, basis.files});
      if (is_new) known->second = {any_amounts(random), any_amounts(random)};
      std::array<Amounts, 2> got{};
      cache.prefetch(std::span(&key, 1));
      if (cache.find(basis, key, got)) {
        ++found;
        ASSERT_FALSE(is_new);
        ASSERT_EQ(got, known->second);
      }
      cache.insert(basis, key, known->second);
      ASSERT_LE(cache.bytes(), bytes_max);
    }
    if (bytes_max > 1'000'000) {
      EXPECT_GT(found, 1000U);
    }
  }
}

TEST(SumCache, SetsOfWindowsHaveNumbersThatAreNeverUsedAgain) {
  SumCache cache(1 << 20U);
  const auto first = cache.number_of(kTwo);
  ASSERT_TRUE(first);
  EXPECT_EQ(cache.number_of(kTwo), first);
  for (std::uint32_t count = 1; count <= 100; ++count) {
    const std::vector<Window> other = {{Period::Unit::kSlot, count, 1}};
    const auto number = cache.number_of(other);
    ASSERT_TRUE(number);
    EXPECT_NE(number, first);
    EXPECT_EQ(cache.number_of(other), number);
  }
  EXPECT_GT(cache.number_of(kTwo), first);
  EXPECT_FALSE(cache.number_of({}));
  EXPECT_FALSE(cache.number_of(std::vector<Window>(1000)));
  EXPECT_FALSE(SumCache(0).number_of(kTwo));
}

}  // namespace
}  // namespace shingled::storage::counters
