#include "storage/engine/number_map.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <unordered_map>

#include "tests/storage/engine/random_fingerprint.h"

namespace shingled::storage::engine {
namespace {

/// Hashes with one of `prints` different prints. Few prints make crowded buckets and long ways.
std::uint64_t random_hash(Seeded& random, std::uint64_t prints) {
  return (random() % prints) << HashParts::kPrintShift |
         (random() & ((std::uint64_t{1} << HashParts::kPrintShift) - 1));
}

std::vector<std::uint32_t> candidates(const NumberMap& map, std::uint64_t hash) {
  std::vector<std::uint32_t> found;
  map.for_each_candidate(hash, [&](std::uint32_t number) { found.push_back(number); });
  std::ranges::sort(found);
  return found;
}

std::size_t steps(const NumberMap& map, std::uint64_t hash) {
  NumberMap::Search search(map, hash);
  std::size_t count = 1;
  while (search.step([](std::uint32_t) {})) ++count;
  return count;
}

struct Case {
  const char* why;
  std::uint64_t prints;
  std::size_t entries;
  bool moves;
};
constexpr Case kCases[] = {
    {"prints as hashes give them", std::uint64_t{1} << HashParts::kPrintBits, 5'000, true},
    {"all entries begin in the first bucket", 1000, 1500, true},
    {"many owners of one hash", 3, 300, false}};

// The model is a list of numbers for each print, because the map keeps only the print of a hash.
TEST(NumberMap, FindsWhatIsThereThroughGrowingAndShrinking) {
  for (const Case& kind : kCases) {
    SCOPED_TRACE(kind.why);
    Seeded random(5);
    NumberMap map;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> entries;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> model;
    const auto expect_agreement = [&] {
      for (auto& [print, numbers] : model) {
        std::ranges::sort(numbers);
        ASSERT_EQ(candidates(map, std::uint64_t{print} << HashParts::kPrintShift), numbers);
      }
    };
    bool moved = false;
    while (entries.size() < kind.entries) {
      const std::uint64_t hash = random_hash(random, kind.prints);
      const auto number = static_cast<std::uint32_t>(entries.size() + 1);
      const NumberMap::Inserted inserted = map.insert(hash, number, NumberMap::kAnyWay);
      ASSERT_TRUE(inserted.placed);
      moved |= inserted.moved && number > 1;  // the first comes into an empty map
      entries.emplace_back(hash, number);
      model[HashParts::print(hash)].push_back(number);
    }
    EXPECT_EQ(moved, kind.moves);
    ASSERT_NO_FATAL_FAILURE(expect_agreement()) << "full";
    moved = false;
    std::ranges::shuffle(entries, random);
    while (!entries.empty()) {
      const auto [hash, number] = entries.back();
      entries.pop_back();
      moved |= map.erase(hash, number);
      map.free_retired();
      std::erase(model[HashParts::print(hash)], number);
      EXPECT_FALSE(map.erase(hash, number)) << "it has been removed";
      if (entries.size() == kind.entries / 3) {
        ASSERT_NO_FATAL_FAILURE(expect_agreement()) << "a third";
      }
    }
    EXPECT_EQ(moved, kind.moves) << "memory is given back";
    ASSERT_NO_FATAL_FAILURE(expect_agreement()) << "empty";
    for (const auto& [print, numbers] : model) {
      EXPECT_EQ(steps(map, std::uint64_t{print} << HashParts::kPrintShift), 1U)
          << "a search ends at once in a bucket that no entry has passed";
    }
  }
}

TEST(NumberMap, RefusesAnEntryTooFarFromItsHome) {
  constexpr std::size_t kEntriesABucket = 10;
  constexpr std::size_t kFit = (NumberMap::kWayMax + 1) * kEntriesABucket;
  NumberMap map;
  map.reserve(10 * kFit);
  const std::uint64_t crowded = 0;
  for (std::uint32_t number = 1; number <= kFit; ++number)
    ASSERT_TRUE(map.insert(crowded, number).placed) << number;
  EXPECT_FALSE(map.insert(crowded, kFit + 1).placed);
  EXPECT_EQ(steps(map, crowded), NumberMap::kWayMax + 1) << "the refused one left no trace";
  EXPECT_EQ(candidates(map, crowded).size(), kFit);
  map.erase(crowded, 1);
  EXPECT_TRUE(map.insert(crowded, kFit + 1).placed) << "in the place that is free again";
  EXPECT_TRUE(map.insert(~crowded, 1).placed) << "other hashes are not affected";
}

TEST(NumberMap, AReservedMapDoesNotMove) {
  Seeded random(6);
  NumberMap map;
  map.reserve(50'000);
  for (std::uint32_t number = 1; number <= 50'000; ++number) {
    const NumberMap::Inserted inserted = map.insert(random(), number);
    ASSERT_TRUE(inserted.placed && !inserted.moved) << number;
  }
}

}  // namespace
}  // namespace shingled::storage::engine
