#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "storage/counters/addition.h"
#include "storage/counters/counter.h"
#include "storage/counters/counter_store.h"

namespace shingled::storage::counters {

/// The same numbers by brute force: every count of every period, and every pair of every period.
class CounterOracle {
 public:
  void add(const Addition& addition, Slot slot) {
    for (const CounterKey& key : addition.counters) put(key, slot, addition.amounts);
    for (const Pair& pair : addition.pairs) {
      put(pair.key, slot, addition.amounts);
      if (addition.amounts.of(Measure::kMass) == 0) continue;
      Amounts one;
      one.of(Measure::kMass) = 1;
      Periods& unique = counts_[pair.unique_key()];
      if (pairs_of_slots_.insert({slot, pair.key}).second)
        of(unique, {Period::Unit::kSlot, slot}) += one;
      if (pairs_of_days_.insert({day_of(slot), pair.key}).second)
        of(unique, {Period::Unit::kDay, day_of(slot)}) += one;
    }
  }

  /// As CounterStore::import.
  void import(const CounterSeries& series) {
    for (const Entry& entry : series.entries) {
      Periods& periods = counts_[series.key];
      const bool is_slot = entry.period.unit == Period::Unit::kSlot;
      const Day day = is_slot ? day_of(entry.period.number) : entry.period.number;
      if (is_slot) of(periods, entry.period) += seen_part(series.key, entry.amounts);
      of(periods, {Period::Unit::kDay, day}) +=
          seen_part(series.key, is_slot ? day_part(series.key.type, entry.amounts) : entry.amounts);
      if (!is_pair(series.key.type) || entry.amounts.of(Measure::kMass) == 0) continue;
      if (is_slot) pairs_of_slots_.insert({entry.period.number, series.key});
      pairs_of_days_.insert({day, series.key});
    }
  }
  void forget(const CounterKey& key) {
    counts_[key].clear();
    std::erase_if(pairs_of_slots_, [&](const auto& pair) { return pair.second == key; });
    std::erase_if(pairs_of_days_, [&](const auto& pair) { return pair.second == key; });
  }

  /// The measures that a person sees: of a unique type its mass alone.
  [[nodiscard]] Amounts sum(const CounterKey& key, const Window& window, Slot now) const {
    Amounts sum;
    add_sums(key, std::span(&window, 1), now, std::span(&sum, 1));
    return sum;
  }
  /// As `sum`, of all windows at once.
  void add_sums(const CounterKey& key, std::span<const Window> windows, Slot now,
                std::span<Amounts> sums) const {
    const auto found = counts_.find(key);
    if (found == counts_.end()) return;
    for (const auto& [period, amounts] : found->second)
      for (std::size_t w = 0; w < windows.size(); ++w) {
        const Window& window = windows[w];
        const std::int64_t present = window.unit == Period::Unit::kSlot ? now : day_of(now);
        const std::int64_t age = present - static_cast<std::int64_t>(period.number);
        if (period.unit == window.unit && age >= window.skipped &&
            age < window.skipped + window.count)
          sums[w] += amounts;
      }
  }
  /// Nobody asks for periods of older days any more, and none is added.
  void drop_before(Day day) {
    for (auto& [key, periods] : counts_)
      std::erase_if(periods, [&](const auto& each) {
        return (each.first.unit == Period::Unit::kSlot ? day_of(each.first.number)
                                                       : each.first.number) < day;
      });
    std::erase_if(pairs_of_slots_, [&](const auto& pair) { return day_of(pair.first) < day; });
    std::erase_if(pairs_of_days_, [&](const auto& pair) { return pair.first < day; });
  }
  [[nodiscard]] std::vector<CounterKey> keys() const {
    std::vector<CounterKey> out;
    for (const auto& [key, periods] : counts_) out.push_back(key);
    return out;
  }

 private:
  using Periods = std::vector<std::pair<Period, Amounts>>;  ///< sorted

  static Amounts seen_part(const CounterKey& key, Amounts amounts) {
    if (is_unique(key.type)) amounts.of(kNewOnDay) = 0;
    return amounts;
  }
  void put(const CounterKey& key, Slot slot, const Amounts& amounts) {
    Periods& periods = counts_[key];
    of(periods, {Period::Unit::kSlot, slot}) += amounts;
    of(periods, {Period::Unit::kDay, day_of(slot)}) += amounts;
  }
  static Amounts& of(Periods& periods, const Period& period) {
    const auto at = std::ranges::lower_bound(periods, period, {}, &Periods::value_type::first);
    if (at != periods.end() && at->first == period) return at->second;
    return periods.insert(at, {period, Amounts{}})->second;
  }

  std::map<CounterKey, Periods> counts_;
  std::set<std::pair<Slot, CounterKey>> pairs_of_slots_;
  std::set<std::pair<Day, CounterKey>> pairs_of_days_;
};

}  // namespace shingled::storage::counters
