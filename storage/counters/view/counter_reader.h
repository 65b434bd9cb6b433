#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "storage/counters/counter_store.h"
#include "storage/counters/sealed/merge.h"
#include "storage/counters/sealed/unique_doubts.h"
#include "storage/counters/view/sum_cache.h"
#include "storage/counters/view/view.h"

namespace shingled::storage::counters {

/// Answers what is asked of a view.
/// Threads: any thread. Never waits for a disk that others write to.
/// Source:  COUNTERS.md section 6.
class CounterReader {
 public:
  /// All must outlive it. `cache_max`: bytes of memory for sums.
  CounterReader(CurrentView& view, CounterClock& time, const UniqueDoubts& doubts,
                const DamageNotes& damage, std::uint64_t cache_max)
      : view_(view), time_(time), doubts_(doubts), damage_(damage), sums_(cache_max) {}

  /// The sums of some counters, as they are now.
  [[nodiscard]] CounterAnswers ask(std::span<const CounterKey> keys,
                                   std::span<const Window> windows);
  /// All counters, sorted by key. Slots that are not kept any more come as their days. Files that
  /// were lost are left out.
  [[nodiscard]] std::unique_ptr<CounterCursor> scan() const;
  /// What cannot be read, by file.
  [[nodiscard]] std::vector<CounterLoss> losses() const;
  /// Memory of the sums that are kept.
  [[nodiscard]] std::uint64_t cache_bytes() const { return sums_.bytes(); }

 private:
  /// Gives `answers` what the sealed files have.
  void ask_files(const View& view, Slot slot, std::span<const CounterKey> keys,
                 std::span<const Window> windows, CounterAnswers& answers);
  /// Says of which windows the sums may lack something.
  void ask_losses(const View& view, Slot slot, std::span<const CounterKey> keys,
                  std::span<const Window> windows, CounterAnswers& answers) const;

  CurrentView& view_;
  CounterClock& time_;
  const UniqueDoubts& doubts_;
  const DamageNotes& damage_;
  SumCache sums_;  ///< of what the files of a view have
  std::atomic<std::uint64_t> few_asked_{0};
};

}  // namespace shingled::storage::counters
