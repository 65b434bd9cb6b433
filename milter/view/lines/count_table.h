#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "milter/terminal/console.h"
#include "storage/counters/counter.h"

namespace shingled::milter::view {

using storage::counters::Amounts;

/// The bars of a row of numbers, the largest one eight eighths high: "·▁▄█". Zero is a dot.
std::string sparkline(std::span<const std::uint64_t> numbers);

/// The sums of groups of neighbours, so that `numbers` take `columns`; they are a multiple of it.
std::vector<std::uint64_t> folded(std::span<const std::uint64_t> numbers, std::size_t columns);

/// The columns for the 144 periods of a day in a terminal that has `width` left for them: so many
/// that each stands for the same time. At least 24.
std::size_t day_columns(std::size_t width);

/// The sums of one counter as rows: a measure, then its count in each window; only measures that
/// are not 0 in all of them. A window that is `lost` (empty = none) is shown as "unknown".
std::vector<terminal::TableRow> sum_rows(std::span<const Amounts> sums,
                                         const std::vector<bool>& lost = {});

/// What a counter holds by period, the oldest first: the last 144 slots and the last 14 days.
struct CountHistory {
  std::vector<Amounts> slots;
  std::vector<Amounts> days;
};

/// Of one measure.
std::vector<std::uint64_t> counts_of(std::span<const Amounts> amounts,
                                     storage::counters::Measure measure);

/// One measure of a counter for people. On a terminal (`width` columns; 0 = no terminal) as
/// sparklines, else as numbers by hour and by day.
std::vector<std::string> history_lines(const CountHistory& history,
                                       storage::counters::Measure measure, std::size_t width);

}  // namespace shingled::milter::view
