#include "milter/view/lines/count_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace shingled::milter::view {

namespace {

using storage::counters::kCountMax;
using storage::counters::Measure;

constexpr std::size_t kHours = 24;

std::uint64_t sum_of(std::span<const std::uint64_t> numbers) {
  return std::accumulate(
      numbers.begin(), numbers.end(), std::uint64_t{0},
      [](std::uint64_t a, std::uint64_t b) { return std::min(a + b, kCountMax); });
}

std::string plain_line(std::string_view label, std::span<const std::uint64_t> numbers) {
  return fmt::format("{}: {}", label, fmt::join(numbers, " "));
}

/// "mass 24h       ▁▂▃  at most 12 in 60 minutes"
std::string spark_line(std::string_view label, std::span<const std::uint64_t> numbers,
                       std::string_view each) {
  const std::uint64_t most = *std::max_element(numbers.begin(), numbers.end());
  return fmt::format("{:<13}  {}  at most {} {}", label, sparkline(numbers), most, each);
}

}  // namespace

std::string sparkline(std::span<const std::uint64_t> numbers) {
  constexpr std::array<const char*, 9> kBars = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr double kHeights = 8;
  std::string out;
  if (numbers.empty()) return out;
  const auto most = static_cast<double>(*std::max_element(numbers.begin(), numbers.end()));
  for (const std::uint64_t number : numbers) {
    std::size_t bar = 0;
    if (number > 0) {
      const double share = static_cast<double>(number) / most * kHeights;
      bar = std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(share)), 1,
                                    kBars.size() - 1);
    }
    out += kBars[bar];
  }
  return out;
}

std::vector<std::uint64_t> folded(std::span<const std::uint64_t> numbers, std::size_t columns) {
  const std::size_t each = numbers.size() / columns;
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < columns; ++i) out.push_back(sum_of(numbers.subspan(i * each, each)));
  return out;
}

std::size_t day_columns(std::size_t width) {
  constexpr std::array<std::size_t, 4> kColumns = {144, 72, 48, 36};
  for (const std::size_t columns : kColumns) {
    if (columns <= width) return columns;
  }
  return kHours;
}

std::vector<terminal::TableRow> sum_rows(std::span<const Amounts> sums,
                                         const std::vector<bool>& lost) {
  const auto is_lost = [&](std::size_t window) { return window < lost.size() && lost[window]; };
  std::vector<terminal::TableRow> rows;
  for (std::size_t i = 0; i < storage::counters::kMeasures; ++i) {
    const auto measure = static_cast<Measure>(i);
    if (std::all_of(sums.begin(), sums.end(),
                    [&](const Amounts& sum) { return sum.of(measure) == 0; })) {
      continue;
    }
    terminal::TableRow& row =
        rows.emplace_back(terminal::TableRow{std::string(to_string(measure))});
    for (std::size_t w = 0; w < sums.size(); ++w)
      row.push_back(is_lost(w) ? "unknown" : std::to_string(sums[w].of(measure)));
  }
  return rows;
}

std::vector<std::uint64_t> counts_of(std::span<const Amounts> amounts, Measure measure) {
  std::vector<std::uint64_t> out;
  for (const Amounts& one : amounts) out.push_back(one.of(measure));
  return out;
}

std::vector<std::string> history_lines(const CountHistory& history, Measure measure,
                                       std::size_t width) {
  const auto slots = counts_of(history.slots, measure);
  const auto days = counts_of(history.days, measure);
  const std::string name(to_string(measure));
  if (width == 0) {
    return {plain_line(name + " by hour", folded(slots, kHours)),
            plain_line(name + " by day", days)};
  }
  constexpr std::size_t kBesides = 50;  // the label and the largest number
  const std::size_t columns =
      std::max<std::size_t>(day_columns(width - std::min(width, kBesides)), 1);
  const std::size_t minutes = slots.size() / columns * 10;
  return {spark_line(name + " 24h", folded(slots, columns), fmt::format("in {} minutes", minutes)),
          spark_line(name + " 14d", days, "a day")};
}

}  // namespace shingled::milter::view
