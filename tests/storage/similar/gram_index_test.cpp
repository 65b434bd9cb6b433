#include "storage/similar/gram_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/support/seeded_random.h"

namespace shingled::storage::similar {
namespace {

std::multiset<std::uint32_t> sources_of(const GramIndex& index, std::uint32_t gram,
                                        const GramIndex::Alive& alive) {
  std::multiset<std::uint32_t> out;
  index.find(gram, [&](std::uint32_t source) {
    if (alive[source]) out.insert(source);
    return true;
  });
  return out;
}

// After adding, loading, removing and merging in any order, the index has the content of the map.
RC_GTEST_PROP(GramIndex, IsAMapFromGramsToSources, ()) {
  GramIndex index;
  GramIndex::Alive alive;
  std::map<std::uint32_t, std::multiset<std::uint32_t>> map;
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  // Either few grams, so that many sources share one, or grams of all segments.
  const std::uint32_t mask = random() % 2 == 0 ? 0x30000003U : 0x3fffffffU;
  const auto merge = [&](GramIndex::Which which) {
    while (const auto segment = index.to_merge(which))
      index.replace(*segment, index.merged(*segment, alive));
  };
  const int steps = *rc::gen::inRange(1, 60);
  for (int step = 0; step < steps; ++step) {
    switch (random() % 8) {
      case 0:
        merge(GramIndex::Which::kAny);
        break;
      case 1:
        merge(GramIndex::Which::kFull);
        break;
      case 2: {
        if (alive.empty()) break;
        const auto source = static_cast<std::uint32_t>(random() % alive.size());
        alive[source] = false;
        for (auto& [gram, sources] : map) sources.erase(source);
        break;
      }
      default: {
        std::set<std::uint32_t> grams;
        for (std::uint64_t i = random() % 900; i > 0; --i)
          grams.insert(static_cast<std::uint32_t>(random()) & mask);
        const std::vector<std::uint32_t> list(grams.begin(), grams.end());
        const auto source = static_cast<std::uint32_t>(alive.size());
        alive.push_back(true);
        random() % 3 == 0 ? index.load(source, list) : index.add(source, list);
        for (const std::uint32_t gram : list) map[gram].insert(source);
      }
    }
  }
  for (const auto& [gram, sources] : map) {
    RC_ASSERT(sources_of(index, gram, alive) == sources);
    RC_ASSERT(map.contains(gram ^ 1U) || sources_of(index, gram ^ 1U, alive).empty());
  }
  merge(GramIndex::Which::kAny);
  std::uint64_t size = 0;
  for (const auto& [gram, sources] : map) size += sources.size();
  for (const auto& [gram, sources] : map) RC_ASSERT(sources_of(index, gram, alive) == sources);
  // Removed sources are only purged from segments that had recent postings, so some may be left.
  RC_ASSERT(index.size() >= size);
}

TEST(GramIndex, MergesASegmentWithManyRecentPostings) {
  GramIndex index;
  GramIndex::Alive alive;
  const std::vector<std::uint32_t> grams = {0, 1, 2, 3};
  while (!index.to_merge(GramIndex::Which::kFull)) {
    ASSERT_LT(alive.size(), 2000U);
    index.add(static_cast<std::uint32_t>(alive.size()), grams);
    alive.push_back(true);
  }
  const auto merge_all = [&] {
    while (const auto segment = index.to_merge(GramIndex::Which::kAny))
      index.replace(*segment, index.merged(*segment, alive));
  };
  merge_all();
  EXPECT_EQ(index.size(), alive.size() * grams.size());
  const std::size_t before = index.bytes();
  alive.assign(alive.size(), false);
  alive.push_back(true);
  index.add(static_cast<std::uint32_t>(alive.size() - 1), grams);
  merge_all();
  EXPECT_EQ(index.size(), grams.size()) << "removed sources are purged";
  EXPECT_LT(index.bytes(), before);
}

// Files whose grams all begin with the same bits, or are consecutive. A merge is never of much more
// than a 256th of all postings, the fair share of a segment.
TEST(GramIndex, MergesASmallPartEvenIfGramsWereChosenToCollide) {
  constexpr std::uint32_t kGrams = 1U << 16U;
  for (const std::uint32_t step : {1U, 1U << 6U, 1U << 14U}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      testing::SeededRandom random(seed);
      GramIndex index{SecretHash(random)};
      std::vector<std::uint32_t> grams;
      for (std::uint32_t i = 0; i < kGrams; ++i) grams.push_back(i * step);
      index.load(0, grams);
      std::size_t largest = 0;
      while (const auto segment = index.to_merge(GramIndex::Which::kAny)) {
        PackedPostings packed = index.merged(*segment, {true});
        largest = std::max(largest, packed.size());
        index.replace(*segment, std::move(packed));
      }
      EXPECT_LE(largest, kGrams / 256 * 8) << "a step of " << step << " with seed " << seed;
    }
  }
}

TEST(GramIndex, SortedGramsHaveSortedNames) {
  testing::SeededRandom random(1);
  const GramIndex index{SecretHash(random)};
  std::vector<std::uint32_t> grams;
  for (std::uint32_t gram = 7; gram < 1U << GramIndex::kGramBits; gram += 40'009)
    grams.push_back(gram);
  std::vector<std::uint32_t> each;
  for (const std::uint32_t gram : grams) each.push_back(index.names_of({&gram, 1}).front());
  std::ranges::sort(each);
  EXPECT_EQ(index.names_of(grams), each);
}

TEST(GramIndex, FindsTheSameWithAnySecret) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    testing::SeededRandom random(seed);
    GramIndex index{SecretHash(random)};
    const std::vector<std::uint32_t> grams = {0, 1, 0x1fffffff, 0x3fffffff};
    index.add(0, grams);
    for (const std::uint32_t gram : grams)
      ASSERT_EQ(sources_of(index, gram, {true}).size(), 1U) << gram << " with seed " << seed;
    for (const std::uint32_t gram : {2U, 0x20000000U, 0x3ffffffeU})
      ASSERT_TRUE(sources_of(index, gram, {true}).empty()) << gram << " with seed " << seed;
  }
}

}  // namespace
}  // namespace shingled::storage::similar
