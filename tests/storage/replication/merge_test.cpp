// Covers storage/engine/update_group_parts.cpp, storage/model/replica.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/storage/replication/random_messages.h"

namespace shingled::storage::replication {
namespace {

Part merge_all(const std::vector<Part>& parts) {
  std::vector<const Part*> all;
  for (const Part& part : parts) all.push_back(&part);
  return merge(all);
}

Part with_flags(std::initializer_list<FlagValue> flags) {
  Part part;
  for (const FlagValue& flag : flags) part.flags.add(flag);
  return part;
}

struct MergeCase {
  const char* why;
  std::vector<Part> parts;
  Part expected;
};

TEST(MergeParts, AddsUpTheWeightsOfAllStores) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::vector<MergeCase> cases = {
      {"nobody taught it", {}, {}},
      {"weights on one list add up",
       {with_flags({{1, 5}}), with_flags({{1, 7}})},
       with_flags({{1, 12}})},
      {"different lists are kept side by side",
       {with_flags({{1, 5}}), with_flags({{2, 7}})},
       with_flags({{2, 7}, {1, 5}})},
      {"a negative weight of one store reduces the other's",
       {with_flags({{1, 5}}), with_flags({{1, -7}})},
       with_flags({{1, -2}})},
      {"only the final sum saturates, so the order does not matter",
       {with_flags({{1, kMost}}), with_flags({{1, kMost}}), with_flags({{1, -kMost}})},
       with_flags({{1, kMost}})},
      {"the eight largest of nine lists are kept",
       {with_flags({{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}}),
        with_flags({{6, 6}, {7, 7}, {8, 8}, {9, 9}})},
       with_flags({{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}, {8, 8}, {9, 9}})},
  };
  for (const MergeCase& one : cases) EXPECT_EQ(merge_all(one.parts), one.expected) << one.why;
}

TEST(MergeParts, DoesNotDependOnTheOrder) {
  engine::Seeded random(20'261'125);
  for (int round = 0; round < 200; ++round) {
    std::vector<Part> parts;
    for (int i = 0; i < 4; ++i) {
      parts.push_back(random_part(random, 1 + random() % kFlagsMax, random() % 2 == 0));
      parts.back().created %= 3;  // also equal times
      parts.back().updated %= 3;
    }
    const Part whole = merge_all(parts);
    std::shuffle(parts.begin(), parts.end(), random);
    EXPECT_EQ(merge_all(parts), whole);
  }
}

TEST(MergeParts, OfOnePartIsThatPart) {
  engine::Seeded random(20'261'126);
  for (int round = 0; round < 100; ++round) {
    Part part = random_part(random, 1 + random() % kFlagsMax, round % 2 == 0);
    part.created = std::min(part.created, part.updated);
    EXPECT_EQ(merge_all({part}), part);
  }
}

TEST(MergeParts, AreNotCreatedLaterThanUpdated) {
  engine::Seeded random(20'261'127);
  Part part = random_part(random, 1, false);
  part.updated = 1'700'000'000;
  part.created = 4'294'967'295;
  EXPECT_EQ(merge_all({part}).created, part.updated);
}

}  // namespace
}  // namespace shingled::storage::replication
