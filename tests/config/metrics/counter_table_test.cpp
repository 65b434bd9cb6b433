#include "config/metrics/counter_table.h"

#include <gtest/gtest.h>

#include <array>

#include "config/metrics/instruments.h"

namespace shingled {
namespace {

template <typename Number>
struct DoorCountersOf {
  Number opened{};
  Number slammed{};
  Number open{};

  static constexpr auto table() {
    using Counters = DoorCountersOf;
    constexpr MetricName kMoves = {"door_moves", "Times it moved."};
    return std::to_array<CounterLine<Counters, Number>>({
        {&Counters::opened, kMoves, "opened", {"how", "opened"}},
        {&Counters::slammed, kMoves, {}, {"how", "slammed"}},
        {&Counters::open, {"door_open", "Doors open."}, "open", {}, MetricFamily::Kind::kGauge},
    });
  }
};
using Doors = DoorCountersOf<std::uint64_t>;

struct Unlisted : Doors {
  std::uint64_t painted = 0;
};
static_assert(kHasWholeTable<Doors>);
static_assert(!kHasWholeTable<Unlisted>, "a field without a line");
static_assert(kHasWholeTable<Unlisted, 1>, "that has its own way to be shown");

TEST(CounterTable, ReadsWhatRuns) {
  DoorCountersOf<EventCount> instruments;
  instruments.opened.add(3);
  instruments.open.add();
  EXPECT_EQ(read_counters<Doors>(instruments).opened, 3U);
  EXPECT_EQ(read_counters<Doors>(instruments).open, 1U);
  DoorCountersOf<std::atomic<std::uint64_t>> atomics;
  atomics.slammed = 5;
  EXPECT_EQ(read_counters<Doors>(atomics).slammed, 5U);
}

TEST(CounterTable, AddsFieldByField) {
  Doors sum = {.opened = 1, .slammed = 2, .open = 3};
  add_counters(sum, {.opened = 10, .slammed = 20, .open = 30});
  EXPECT_EQ(sum.opened, 11U);
  EXPECT_EQ(sum.slammed, 22U);
  EXPECT_EQ(sum.open, 33U);
}

TEST(CounterTable, ReportsEachFieldWithItsLabels) {
  MetricReport report;
  report_counters(Doors{.opened = 1, .slammed = 2, .open = 3}, report, {{"house", "7"}});
  ASSERT_EQ(report.families().size(), 2U);
  EXPECT_EQ(report.families()[0].help, "Times it moved.");
  EXPECT_EQ(report.families()[0].kind, MetricFamily::Kind::kCounter);
  EXPECT_EQ(report.families()[1].kind, MetricFamily::Kind::kGauge);
  EXPECT_EQ(report.total("door_moves", {{"house", "7"}, {"how", "slammed"}}), 2);
  EXPECT_EQ(report.total("door_open", {{"house", "7"}}), 3);
}

TEST(CounterTable, LogsTheFieldsThatHaveAKey) {
  LogLine line("doors");
  log_counters(Doors{.opened = 1, .slammed = 2, .open = 3}, line);
  EXPECT_EQ(line.text(), "doors opened=1 open=3");
}

}  // namespace
}  // namespace shingled
