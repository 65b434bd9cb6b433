// Covers storage/model/fuzzy_store.cpp.
#include <gmock/gmock.h>

#include <limits>

#include "storage/model/fuzzy_store.h"

namespace shingled::storage {
namespace {

using ::testing::ElementsAre;

FlagSet full_set() {
  FlagSet set;
  for (std::uint32_t flag = 1; flag <= kFlagsMax; ++flag) {
    set.add({flag, static_cast<std::int32_t>(flag) * 10});
  }
  return set;
}

TEST(FlagSet, PutsTheLargestValueFirstThenTheSmallerFlag) {
  FlagSet set;
  set.add({7, 1});
  set.add({6, 3});
  set.add({5, 1});
  EXPECT_THAT(set.all(), ElementsAre(FlagValue{6, 3}, FlagValue{5, 1}, FlagValue{7, 1}));
  set.add({7, 4});
  EXPECT_THAT(set.all(), ElementsAre(FlagValue{7, 5}, FlagValue{6, 3}, FlagValue{5, 1}));
}

TEST(FlagSet, SaturatesAtBothEnds) {
  using Limits = std::numeric_limits<std::int32_t>;
  FlagSet set;
  set.add({1, Limits::max()});
  set.add({1, 10});
  EXPECT_EQ(set.front().value, Limits::max());
  set.add({1, Limits::min()});
  set.add({1, Limits::min()});
  EXPECT_EQ(set.front().value, Limits::min());
}

TEST(FlagSet, ANinthFlagReplacesTheSmallestOnlyIfItIsLargerAndNotWeak) {
  FlagSet set = full_set();
  set.add({99, 11}, true);
  set.add({98, 10});
  EXPECT_EQ(set, full_set());
  set.add({99, 11});
  EXPECT_EQ(set.size(), kFlagsMax);
  EXPECT_EQ(set.all().back(), (FlagValue{99, 11}));
}

TEST(FlagSet, AWeakAddToAKnownFlagCountsInFull) {
  FlagSet set = full_set();
  set.add({8, 5}, true);
  EXPECT_EQ(set.front(), (FlagValue{8, 85}));
}

TEST(FlagSet, RemovesOneFlagAndNothingElse) {
  FlagSet set = full_set();
  set.remove(4);
  set.remove(4);
  EXPECT_EQ(set.size(), kFlagsMax - 1);
  EXPECT_EQ(set.front(), (FlagValue{8, 80}));
}

}  // namespace
}  // namespace shingled::storage
