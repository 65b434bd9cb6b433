#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "storage/counters/addition.h"
#include "storage/counters/counter_store.h"
#include "storage/counters/series.h"

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
      if (pairs_of_slots_.insert({slot, pair.key}).second)
        counts_[pair.unique_key()][{Period::Unit::kSlot, slot}] += one;
      if (pairs_of_days_.insert({day_of(slot), pair.key}).second)
        counts_[pair.unique_key()][{Period::Unit::kDay, day_of(slot)}] += one;
    }
  }

  /// As CounterStore::import.
  void import(const CounterSeries& series) {
    for (const Entry& entry : series.entries) {
      auto& periods = counts_[series.key];
      const bool is_slot = entry.period.unit == Period::Unit::kSlot;
      const Day day = is_slot ? day_of(entry.period.number) : entry.period.number;
      if (is_slot) periods[entry.period] += seen_part(series.key, entry.amounts);
      periods[{Period::Unit::kDay, day}] +=
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
    const auto found = counts_.find(key);
    if (found == counts_.end()) return sum;
    const std::int64_t present = window.unit == Period::Unit::kSlot ? now : day_of(now);
    for (const auto& [period, amounts] : found->second) {
      const std::int64_t age = present - static_cast<std::int64_t>(period.number);
      if (period.unit == window.unit && age >= window.skipped &&
          age < window.skipped + window.count)
        sum += amounts;
    }
    return sum;
  }
  [[nodiscard]] std::vector<CounterKey> keys() const {
    std::vector<CounterKey> out;
    for (const auto& [key, periods] : counts_) out.push_back(key);
    return out;
  }

 private:
  static Amounts seen_part(const CounterKey& key, Amounts amounts) {
    if (is_unique(key.type)) amounts.of(kNewOnDay) = 0;
    return amounts;
  }
  void put(const CounterKey& key, Slot slot, const Amounts& amounts) {
    auto& periods = counts_[key];
    periods[{Period::Unit::kSlot, slot}] += amounts;
    periods[{Period::Unit::kDay, day_of(slot)}] += amounts;
  }

  std::map<CounterKey, std::map<Period, Amounts>> counts_;
  std::set<std::pair<Slot, CounterKey>> pairs_of_slots_;
  std::set<std::pair<Day, CounterKey>> pairs_of_days_;
};

}  // namespace shingled::storage::counters
