#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "storage/counters/counter.h"
#include "storage/counters/counter_store.h"

namespace shingled::testing {

/// Counters as simple as possible, that can be made to fail.
/// Threads: one thread.
class ListedCounters final : public storage::counters::CounterStore {
 public:
  using Key = storage::counters::CounterKey;
  using Entries = std::vector<storage::counters::Entry>;

  std::map<Key, Entries> counters;
  storage::counters::Slot now = 144 * 19'663;
  Status fails = {};                                ///< of all calls
  Status verified = {};                             ///< of `verify`
  std::set<Key> unknown = {};                       ///< what `ask` does not know
  std::set<std::pair<Key, std::size_t>> lost = {};  ///< nor in these windows
  std::vector<storage::counters::CounterLoss> damaged = {};
  std::size_t repairs = 0;       ///< calls
  std::size_t breaks_after = 0;  ///< counters until a cursor fails; 0 = never

  Status add(const storage::counters::Addition& addition, TimePoint) override {
    return add_at(addition, now);
  }
  storage::counters::CounterAnswers ask(std::span<const Key> keys,
                                        std::span<const storage::counters::Window> windows,
                                        TimePoint) override {
    storage::counters::CounterAnswers out;
    out.windows = windows.size();
    out.sums.resize(keys.size() * windows.size());
    for (std::size_t k = 0; k < keys.size(); ++k) {
      out.known.push_back(fails.has_value() && !unknown.contains(keys[k]));
      storage::counters::WindowSums sums(
          windows, now, std::span(out.sums).subspan(k * windows.size(), windows.size()));
      for (const auto& entry : counters[keys[k]])
        sums.add(keys[k].type, entry.period, entry.amounts);
    }
    for (const auto& [key, window] : lost)
      for (std::size_t k = 0; k < keys.size(); ++k)
        if (keys[k] == key) out.lose(k, window);
    return out;
  }
  Result<Entries> series(const Key& key, TimePoint) override {
    if (!fails) return fails.error();
    return counters[key];
  }
  Result<std::unique_ptr<storage::counters::CounterCursor>> scan() override {
    if (!fails) return fails.error();
    return std::unique_ptr<storage::counters::CounterCursor>(std::make_unique<Cursor>(*this));
  }
  Status import(std::span<const storage::counters::CounterSeries> series, TimePoint) override {
    if (!fails) return fails;
    for (const auto& one : series)
      for (const auto& entry : one.entries) add_entry(counters[one.key], entry);
    return {};
  }
  Status learn(std::span<const storage::counters::PastAddition> additions, TimePoint) override {
    for (const auto& past : additions)
      if (Status added = add_at(past.addition, past.slot); !added) return added;
    return {};
  }
  Status forget(std::span<const Key> keys, TimePoint) override {
    if (!fails) return fails;
    for (const Key& key : keys) counters.erase(key);
    return {};
  }
  Status verify(const std::stop_token&) override { return verified; }
  Status repair(const std::stop_token&) override {
    ++repairs;
    return {};
  }
  [[nodiscard]] std::vector<storage::counters::CounterLoss> losses() const override {
    return damaged;
  }
  storage::counters::Slot present_slot() override { return now; }
  void report(MetricReport&) const override {}

 private:
  class Cursor final : public storage::counters::CounterCursor {
   public:
    explicit Cursor(const ListedCounters& of) : of_(of), next_(of.counters.begin()) {}
    Result<const storage::counters::CounterSeries*> next() override {
      if (of_.breaks_after > 0 && read_++ == of_.breaks_after)
        return Error{ErrorCode::kCorrupt, "as asked"};
      if (next_ == of_.counters.end()) return nullptr;
      present_ = {next_->first, next_->second};
      ++next_;
      return &present_;
    }

   private:
    const ListedCounters& of_;
    std::map<Key, Entries>::const_iterator next_;
    storage::counters::CounterSeries present_;
    std::size_t read_ = 0;
  };

  Status add_at(const storage::counters::Addition& addition, storage::counters::Slot slot) {
    if (!fails) return fails;
    const storage::counters::Period period{storage::counters::Period::Unit::kSlot, slot};
    for (const Key& key : addition.counters) add_entry(counters[key], {period, addition.amounts});
    for (const auto& pair : addition.pairs) {
      if (counters[pair.key].empty()) {
        storage::counters::Amounts one;
        one.of(storage::counters::Measure::kMass) = 1;
        one.of(storage::counters::kNewOnDay) = 1;
        add_entry(counters[pair.unique_key()], {period, one});
      }
      add_entry(counters[pair.key], {period, addition.amounts});
    }
    return {};
  }
};

}  // namespace shingled::testing
