#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "storage/counters/embedded/embedded_counters.h"
#include "tests/storage/counters/embedded/counter_oracle.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_files.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::counters {

inline const std::vector<Window> kWindows = {
    {Period::Unit::kSlot, 1, 0},  {Period::Unit::kSlot, 6, 0}, {Period::Unit::kSlot, 144, 0},
    {Period::Unit::kSlot, 18, 3}, {Period::Unit::kDay, 1, 0},  {Period::Unit::kDay, 14, 0},
    {Period::Unit::kDay, 3, 1},   {Period::Unit::kDay, 14, 1}};

/// The time of day can be set; the steady time cannot.
/// Threads: any thread.
class SettableClock final : public Clock {
 public:
  explicit SettableClock(const testing::ManualClock& steady) : steady_(steady) {}
  [[nodiscard]] TimePoint now() const override { return steady_.now(); }
  [[nodiscard]] WallTime wall() const override { return steady_.wall() + ahead.load(); }
  std::atomic<std::chrono::seconds> ahead{std::chrono::seconds(0)};

 private:
  const testing::ManualClock& steady_;
};

inline Amounts message(std::uint64_t bytes = 1000, std::uint64_t recipients = 1) {
  Amounts amounts;
  amounts.of(Measure::kMass) = 1;
  amounts.of(Measure::kRecipients) = recipients;
  amounts.of(Measure::kBytes) = bytes;
  return amounts;
}

class EmbeddedCountersTest : public ::testing::Test {
 protected:
  void open() {
    counters_.reset();
    EmbeddedCounterOptions options = options_;
    options.directory = directory_.path();
    auto opened = EmbeddedCounters::open(options, files_, clock_);
    ASSERT_TRUE(opened) << opened.error().message;
    counters_ = *std::move(opened);
  }
  void maintain() {
    const Status done = counters_->maintain({});
    ASSERT_TRUE(done) << done.error().message;
  }
  void add(const Addition& addition) {
    const Slot slot = counters_->present_slot();
    const Status added = counters_->add(addition);
    ASSERT_TRUE(added) << added.error().message;
    oracle_.add(addition, slot);
  }
  void expect_oracle() {
    const std::vector<CounterKey> keys = oracle_.keys();
    const CounterAnswers answers = counters_->ask(keys, kWindows);
    const Slot now = counters_->present_slot();
    for (std::size_t k = 0; k < keys.size(); ++k) {
      ASSERT_TRUE(answers.known[k]);
      for (std::size_t w = 0; w < kWindows.size(); ++w) {
        Amounts got = answers.of(k, w);
        if (is_unique(keys[k].type)) got.of(kNewOnDay) = 0;
        ASSERT_EQ(got.counts, oracle_.sum(keys[k], kWindows[w], now).counts)
            << to_string(keys[k].type) << ' ' << std::hex << keys[k].shingle << std::dec
            << " window " << w << " slot " << now;
      }
    }
  }

  testing::TemporaryDirectory directory_;
  testing::MemoryFiles files_;
  testing::ManualClock clock_;
  EmbeddedCounterOptions options_;
  CounterOracle oracle_;
  std::unique_ptr<EmbeddedCounters> counters_;
};

}  // namespace shingled::storage::counters
