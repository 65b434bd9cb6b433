#include "milter/view/lines/count_table.h"

#include <gtest/gtest.h>

#include <numeric>

namespace shingled::milter::view {
namespace {

using storage::counters::Measure;

TEST(Sparkline, IsAsHighAsTheLargestNumber) {
  EXPECT_EQ(sparkline(std::vector<std::uint64_t>{0, 1, 4, 8}), "·▁▄█");
  EXPECT_EQ(sparkline(std::vector<std::uint64_t>{0, 0}), "··");
  EXPECT_EQ(sparkline({}), "");
}

TEST(Sparkline, ShowsASmallNumberBesideALargeOne) {
  EXPECT_EQ(sparkline(std::vector<std::uint64_t>{1, storage::counters::kCountMax}), "▁█");
}

TEST(Folded, KeepsTheSum) {
  std::vector<std::uint64_t> numbers(144);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const std::size_t columns : {144U, 72U, 48U, 36U, 24U}) {
    const auto few = folded(numbers, columns);
    EXPECT_EQ(few.size(), columns);
    EXPECT_EQ(std::accumulate(few.begin(), few.end(), std::uint64_t{0}), 144U * 143U / 2);
  }
}

TEST(Folded, StaysAtTheLargestCount) {
  const std::vector<std::uint64_t> numbers(2, storage::counters::kCountMax);
  EXPECT_EQ(folded(numbers, 1), std::vector{storage::counters::kCountMax});
}

TEST(DayColumns, FitTheTerminal) {
  EXPECT_EQ(day_columns(200), 144U);
  EXPECT_EQ(day_columns(143), 72U);
  EXPECT_EQ(day_columns(50), 48U);
  EXPECT_EQ(day_columns(0), 24U);
}

TEST(SumRows, LeaveOutWhatIsZero) {
  std::vector<Amounts> sums(2);
  EXPECT_TRUE(sum_rows(sums).empty());
  sums[0].of(Measure::kSpam) = 3;
  sums[1].of(Measure::kMass) = 4;
  EXPECT_EQ(sum_rows(sums),
            (std::vector<terminal::TableRow>{{"mass", "0", "4"}, {"spam", "3", "0"}}));
}

TEST(NumberLines, StandBelowEachOther) {
  EXPECT_EQ(
      terminal::table_lines({{"", "1h", "14d"}, {"mass", "3", "1200"}, {"a long title"}}, " ", 1),
      (std::vector<std::string>{"       1h   14d", " mass   3  1200", " a long title"}));
}

TEST(Shortened, CutsBetweenCharacters) {
  EXPECT_EQ(terminal::shortened("bücher", 6), "bücher");
  EXPECT_EQ(terminal::shortened("bücher", 3), "bü…");
}

TEST(HistoryLines, AreNumbersWithoutATerminal) {
  CountHistory history{std::vector<Amounts>(144), std::vector<Amounts>(14)};
  history.slots.back().of(Measure::kMass) = 5;
  history.days.front().of(Measure::kMass) = 7;
  const auto plain = history_lines(history, Measure::kMass, 0);
  EXPECT_EQ(plain[0], "mass by hour: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5");
  EXPECT_EQ(plain[1], "mass by day: 7 0 0 0 0 0 0 0 0 0 0 0 0 0");
  const auto drawn = history_lines(history, Measure::kMass, 80);
  EXPECT_NE(drawn[0].find("█  at most 5 in 60 minutes"), std::string::npos);
  EXPECT_NE(drawn[1].find("█·············  at most 7 a day"), std::string::npos);
}

}  // namespace
}  // namespace shingled::milter::view
