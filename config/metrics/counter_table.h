#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/logger.h"
#include "config/metrics/metric_report.h"

namespace shingled {

// A struct of counters describes its fields once, in a `table()`. Sum, report and log line are made
// from it. The struct may be a template over the type of its fields, so that the running counters
// and the numbers that were read share one list:
//
//     template <typename Number>
//     struct DoorCountersOf {
//       Number opened{};
//       Number slammed{};
//       static constexpr auto table() {
//         using Counters = DoorCountersOf;
//         return std::to_array<CounterLine<Counters, Number>>({
//             {&Counters::opened, {"door_opened", "Times it was opened."}, "opened"},
//             {&Counters::slammed, {"door_slammed", "Times it was slammed."}, "slammed"},
//         });
//       }
//     };
//     static_assert(kHasWholeTable<DoorCountersOf<std::uint64_t>>);

/// One field of a struct of counters: how metrics and the log show it.
template <typename Counters, typename Number = std::uint64_t>
struct CounterLine {
  Number Counters::*field;
  MetricName metric;
  std::string_view log_key = {};  ///< empty = not in the log
  /// Distinguishes this field from others of the same metric; empty = not needed.
  std::pair<std::string_view, std::string_view> label = {};
  MetricFamily::Kind kind = MetricFamily::Kind::kCounter;  ///< a counter or a gauge
};

/// Whether each field has a line, in a struct of numbers, of which `more` need none.
template <typename Counters, std::size_t more = 0>
inline constexpr bool kHasWholeTable = sizeof(Counters) ==
                                       (Counters::table().size() + more) * sizeof(std::uint64_t);

inline std::uint64_t number_of(std::uint64_t number) { return number; }
inline std::uint64_t number_of(const std::atomic<std::uint64_t>& number) { return number.load(); }
template <typename Counter>
std::uint64_t number_of(const Counter& counter) {
  return counter.read();
}

/// The present values of running counters. Both types have the same `table()`.
template <typename Numbers, typename Running>
Numbers read_counters(const Running& running) {
  Numbers numbers;
  constexpr auto kFrom = Running::table();
  constexpr auto kTo = Numbers::table();
  for (std::size_t i = 0; i < kTo.size(); ++i) {
    numbers.*kTo[i].field = number_of(running.*kFrom[i].field);
  }
  return numbers;
}

template <typename Numbers>
void add_counters(Numbers& sum, const Numbers& more) {
  constexpr auto kTable = Numbers::table();
  for (const auto& line : kTable) sum.*line.field += more.*line.field;
}

/// All samples get `labels`, too.
template <typename Counters>
void report_counters(const Counters& counters, MetricReport& report,
                     const MetricLabels& labels = {}) {
  constexpr auto kTable = Counters::table();
  for (const auto& line : kTable) {
    MetricLabels all = labels;
    if (!line.label.first.empty()) all.emplace_back(line.label);
    const std::uint64_t number = number_of(counters.*line.field);
    if (line.kind == MetricFamily::Kind::kGauge) {
      report.gauge(line.metric, number, std::move(all));
    } else {
      report.counter(line.metric, number, std::move(all));
    }
  }
}

/// Adds the fields that have a log key.
template <typename Counters>
void log_counters(const Counters& counters, LogLine& log) {
  constexpr auto kTable = Counters::table();
  for (const auto& line : kTable) {
    if (!line.log_key.empty()) log.field(line.log_key, number_of(counters.*line.field));
  }
}

}  // namespace shingled
