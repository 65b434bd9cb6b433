// Covers storage/model/update_queue.cpp.
#include <gtest/gtest.h>

#include <cstring>
#include <unordered_set>

#include "storage/model/update_queue.h"
#include "storage/server/recent_seals.h"
#include "tests/support/longest_chain.h"

namespace shingled::storage {
namespace {

using std::chrono::seconds;

UpdateId name(std::uint8_t number) {
  UpdateId name{};
  name.fill(number);
  return name;
}

constexpr TimePoint kStart{std::chrono::hours(1)};

TEST(RecentIds, RemembersForTheWindowAndForgetsAfterTwo) {
  for (const int after : {0, 5, 9}) {
    RecentIds names(seconds(10), 100);
    names.insert(name(1), kStart);
    const TimePoint then = kStart + seconds(after);
    names.insert(name(2), then);
    names.insert(name(3), then + seconds(10));  // a new generation
    EXPECT_TRUE(names.contains(name(2), then + seconds(10)));
    EXPECT_FALSE(names.contains(name(2), then + seconds(20)));
    EXPECT_FALSE(names.contains(name(1), kStart + seconds(20)));
    EXPECT_TRUE(names.contains(name(3), then + seconds(20)));
    EXPECT_FALSE(names.contains(name(9), then));
  }
}

TEST(RecentIds, IsBoundedAndKeepsTheNewestHalf) {
  RecentIds names(seconds(10), 8);
  for (std::uint8_t i = 0; i < 100; ++i) {
    names.insert(name(i), kStart);
    EXPECT_LE(names.size(), 8U);
    for (std::uint8_t k = i < 4 ? 0 : static_cast<std::uint8_t>(i - 3); k <= i; ++k)
      EXPECT_TRUE(names.contains(name(k), kStart)) << int{i} << ' ' << int{k};
  }
}

// A client knows the names of its packets, so it can search for names with chosen first bytes.
TEST(UpdateIdHash, SpreadsNamesThatBeginWithMultiplesOfTheTableSize) {
  constexpr std::size_t kNames = 10'000;
  std::unordered_set<UpdateId, UpdateIdHash> table;
  table.reserve(kNames);
  const std::uint64_t buckets = table.bucket_count();
  for (std::uint64_t i = 0; i < kNames; ++i) {
    UpdateId name{};
    const std::uint64_t word = i * buckets;
    std::memcpy(name.data(), &word, sizeof word);
    table.insert(name);
  }
  ASSERT_EQ(table.bucket_count(), buckets) << "it grew, and the keys are not crafted for it";
  EXPECT_LE(testing::longest_chain(table), testing::kChainByChance);
}

TEST(SealSet, ContainsTheInsertedNames) {
  server::SealSet set;
  EXPECT_FALSE(set.contains(1));
  for (std::uint64_t i = 1; i <= 10'000; ++i) set.insert(i * i);
  set.insert(4);
  EXPECT_EQ(set.size(), 10'000U);
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    EXPECT_TRUE(set.contains(i * i));
    EXPECT_FALSE(set.contains(i * i + 1));
  }
}

}  // namespace
}  // namespace shingled::storage
