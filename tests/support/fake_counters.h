#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "storage/counters/counter_store.h"

namespace shingled::testing {

/// A store of counters in memory that the test controls. It has no time: all windows are equal. It
/// counts everything but unique types, and can fail.
/// Threads: any thread.
class FakeCounters final : public storage::counters::CounterStore {
 public:
  void fail(bool fails) { state_.lock()->fails = fails; }
  /// Which of the next additions fail, in their order.
  void fail_next(std::vector<bool> fails) { state_.lock()->next = std::move(fails); }
  [[nodiscard]] std::vector<storage::counters::Addition> additions() const {
    return state_.lock()->additions;
  }
  [[nodiscard]] std::size_t questions() const { return state_.lock()->questions; }

  Status add(const storage::counters::Addition& addition, TimePoint /*deadline*/) override {
    auto state = state_.lock();
    bool fails = state->fails;
    if (!state->next.empty()) {
      fails = state->next.front();
      state->next.erase(state->next.begin());
    }
    if (fails) return failure();
    state->additions.push_back(addition);
    return {};
  }
  storage::counters::CounterAnswers ask(std::span<const storage::counters::CounterKey> keys,
                                        std::span<const storage::counters::Window> windows,
                                        TimePoint /*deadline*/) override {
    auto state = state_.lock();
    ++state->questions;
    storage::counters::CounterAnswers answers;
    answers.windows = windows.size();
    answers.known.assign(keys.size(), !state->fails);
    for (const storage::counters::CounterKey& key : keys) {
      storage::counters::Amounts sum;
      for (const storage::counters::Addition& addition : state->additions) {
        for (const auto& counter : addition.counters) {
          if (counter == key) sum += addition.amounts;
        }
        for (const auto& pair : addition.pairs) {
          if (pair.key == key) sum += addition.amounts;
        }
      }
      answers.sums.insert(answers.sums.end(), windows.size(), sum);
    }
    return answers;
  }
  /// What `series` says of a counter; one without entries has none.
  void set_series(const storage::counters::CounterKey& key,
                  std::vector<storage::counters::Entry> entries) {
    state_.lock()->series[key] = std::move(entries);
  }
  Result<std::vector<storage::counters::Entry>> series(const storage::counters::CounterKey& key,
                                                       TimePoint /*deadline*/) override {
    auto state = state_.lock();
    ++state->questions;
    if (state->fails) return failure();
    return state->series[key];
  }
  Result<std::unique_ptr<storage::counters::CounterCursor>> scan() override { return failure(); }
  Status import(std::span<const storage::counters::CounterSeries> /*counters*/,
                TimePoint /*deadline*/) override {
    return failure();
  }
  Status learn(std::span<const storage::counters::PastAddition> /*additions*/,
               TimePoint /*deadline*/) override {
    return failure();
  }
  Status forget(std::span<const storage::counters::CounterKey> /*keys*/,
                TimePoint /*deadline*/) override {
    return failure();
  }
  Status verify(const std::stop_token& /*stop*/) override { return {}; }
  storage::counters::Slot present_slot() override { return state_.lock()->present; }
  void set_present(storage::counters::Slot slot) { state_.lock()->present = slot; }
  void report(MetricReport& /*report*/) const override {}

 private:
  struct State {
    std::vector<storage::counters::Addition> additions;
    std::size_t questions = 0;
    std::map<storage::counters::CounterKey, std::vector<storage::counters::Entry>> series;
    storage::counters::Slot present = 1;
    bool fails = false;
    std::vector<bool> next;
  };
  static Error failure() { return {ErrorCode::kUnavailable, "the disk is full"}; }
  mutable Guarded<State> state_;
};

}  // namespace shingled::testing
