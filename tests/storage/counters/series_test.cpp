// Covers storage/counters/counter.cpp.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "storage/counters/counter.h"

namespace shingled::storage::counters {
namespace {

constexpr Slot kNow = 2'831'519;  // slot 47 of day 19663

Amounts mass(std::uint64_t count) {
  Amounts amounts;
  amounts.of(Measure::kMass) = count;
  return amounts;
}

TEST(Window, IsReadAndWritten) {
  struct Case {
    const char* text;
    Window window;
    const char* written;
  };
  const Case kCases[] = {
      {"10m", {Period::Unit::kSlot, 1, 0}, "10m"},   {"90m", {Period::Unit::kSlot, 9, 0}, "90m"},
      {"60m", {Period::Unit::kSlot, 6, 0}, "1h"},    {"6h", {Period::Unit::kSlot, 36, 0}, "6h"},
      {"24h", {Period::Unit::kSlot, 144, 0}, "24h"}, {"1d", {Period::Unit::kDay, 1, 0}, "1d"},
      {"14d", {Period::Unit::kDay, 14, 0}, "14d"},
  };
  for (const Case& c : kCases) {
    const auto window = parse_window(c.text);
    ASSERT_TRUE(window) << c.text;
    EXPECT_EQ(*window, c.window) << c.text;
    EXPECT_EQ(to_string(*window), c.written);
  }
  for (const char* wrong : {"", "0m", "10", "m", "15m", "25h", "1450m", "15d", "0d", "-10m", "1 h",
                            "10m ", "1w", "99999999999h", "4294967295h"})
    EXPECT_FALSE(parse_window(wrong)) << wrong;
}

TEST(WindowSums, TakeSlotsForTheirDayToo) {
  const std::vector<Window> windows = {{Period::Unit::kSlot, 1, 0}, {Period::Unit::kSlot, 144, 0},
                                       {Period::Unit::kSlot, 2, 1}, {Period::Unit::kDay, 1, 0},
                                       {Period::Unit::kDay, 2, 0},  {Period::Unit::kDay, 14, 1}};
  struct Case {
    const char* why;
    Period period;
    std::array<std::uint64_t, 6> expected;
  };
  const Case kCases[] = {
      {"the present slot", {Period::Unit::kSlot, kNow}, {1, 1, 0, 1, 1, 0}},
      {"the slot before", {Period::Unit::kSlot, kNow - 1}, {0, 1, 1, 1, 1, 0}},
      {"two slots ago", {Period::Unit::kSlot, kNow - 2}, {0, 1, 1, 1, 1, 0}},
      {"three slots ago", {Period::Unit::kSlot, kNow - 3}, {0, 1, 0, 1, 1, 0}},
      {"yesterday, within 24 hours", {Period::Unit::kSlot, kNow - 143}, {0, 1, 0, 0, 1, 1}},
      {"yesterday, longer ago", {Period::Unit::kSlot, kNow - 144}, {0, 0, 0, 0, 1, 1}},
      {"a slot in the future", {Period::Unit::kSlot, kNow + 1}, {0, 0, 0, 1, 1, 0}},
      {"a day in the future", {Period::Unit::kDay, day_of(kNow) + 1}, {0, 0, 0, 0, 0, 0}},
      {"today", {Period::Unit::kDay, day_of(kNow)}, {0, 0, 0, 1, 1, 0}},
      {"a fortnight ago", {Period::Unit::kDay, day_of(kNow) - 14}, {0, 0, 0, 0, 0, 1}},
      {"longer ago", {Period::Unit::kDay, day_of(kNow) - 15}, {0, 0, 0, 0, 0, 0}},
  };
  for (const Case& c : kCases) {
    std::vector<Amounts> sums(windows.size());
    WindowSums(windows, kNow, sums).add(PieceType::kFrom, c.period, mass(1));
    for (std::size_t i = 0; i < windows.size(); ++i)
      EXPECT_EQ(sums[i].of(Measure::kMass), c.expected[i]) << c.why << ", window " << i;
  }
}

TEST(WindowSums, OfAUniqueTypeTheDayHasWhatWasNewOnIt) {
  const std::vector<Window> windows = {{Period::Unit::kSlot, 1, 0}, {Period::Unit::kDay, 1, 0}};
  std::vector<Amounts> sums(windows.size());
  Amounts three = mass(3);
  three.of(kNewOnDay) = 2;
  WindowSums(windows, kNow, sums)
      .add(PieceType::kUniqueRecipients, {Period::Unit::kSlot, kNow}, three);
  EXPECT_EQ(sums[0].of(Measure::kMass), 3U);
  EXPECT_EQ(sums[1], mass(2));
}

TEST(AddEntry, KeepsPeriodsSortedAndEachOnce) {
  std::vector<Entry> entries;
  for (const std::uint32_t number : {5U, 3U, 5U, 4U})
    add_entry(entries, {{Period::Unit::kSlot, number}, mass(1)});
  add_entry(entries, {{Period::Unit::kDay, 4}, mass(1)});
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[2], (Entry{{Period::Unit::kSlot, 5}, mass(2)}));
  EXPECT_EQ(entries[3].period.unit, Period::Unit::kDay);
}

}  // namespace
}  // namespace shingled::storage::counters
