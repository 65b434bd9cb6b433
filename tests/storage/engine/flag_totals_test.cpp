#include "storage/engine/flag_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "storage/engine/record_store.h"

namespace shingled::storage::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Total = FlagTotals::Total;

FlagSet flags(std::initializer_list<FlagValue> values) {
  FlagSet set;
  for (const FlagValue& value : values) set.add(value);
  return set;
}

TEST(FlagTotals, CountEachListOfARecord) {
  FlagTotals totals;
  EXPECT_THAT(totals.read(), IsEmpty());
  totals.add(flags({{11, 20}, {13, -3}}));
  totals.add(flags({{11, 5}}));
  EXPECT_THAT(totals.read(), ElementsAre(Total{11, 2, 25}, Total{13, 1, -3}));
  totals.take(flags({{11, 20}, {13, -3}}));
  EXPECT_THAT(totals.read(), ElementsAre(Total{11, 1, 5}));
}

TEST(FlagTotals, CountFlagsNoPacketHasAsOne) {
  FlagTotals totals;
  totals.add(flags({{255, 1}}));
  totals.add(flags({{256, 2}}));
  totals.add(flags({{4'294'967'295U, 3}}));
  EXPECT_THAT(totals.read(), ElementsAre(Total{255, 1, 1}, Total{FlagTotals::kOther, 2, 5}));
}

TEST(FlagTotals, AgreeWithTheRecordsWhateverHappensToThem) {
  std::mt19937 random(7);
  const auto pick = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  const auto random_state = [&] {
    RecordState state{.row = 1, .flags = {}, .created = 1, .updated = 1};
    for (std::uint32_t i = 0; i <= pick(4); ++i) {
      state.flags.add({pick(5), static_cast<std::int32_t>(pick(100)) - 50});
    }
    return state;
  };
  RecordStore records;
  std::vector<std::uint32_t> live;
  for (int step = 0; step < 5000; ++step) {
    const std::uint32_t what = pick(3);
    if (what == 0 || live.empty()) {
      live.push_back(records.add(Digest{}, random_state(), nullptr));
    } else if (const std::size_t at = pick(static_cast<std::uint32_t>(live.size())); what == 1) {
      records.update(live[at], random_state());
    } else {
      records.release(live[at]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (step % 64 == 0) records.reuse_released();
  }
  FlagTotals expected;
  for (const std::uint32_t number : live) expected.add(records.state(number).flags);
  EXPECT_GT(live.size(), 0U);
  EXPECT_EQ(records.flag_totals().read(), expected.read());
}

}  // namespace
}  // namespace shingled::storage::engine
