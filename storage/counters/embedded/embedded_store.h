#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "config/base/at_most_every.h"
#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/periodic_task.h"
#include "config/base/result.h"
#include "config/metrics/instruments.h"
#include "config/options/counter_options.h"
#include "config/system/file_system.h"
#include "storage/counters/counter_store.h"
#include "storage/counters/embedded/embedded_counters.h"

namespace shingled::storage::counters {

/// The counters of this machine: EmbeddedCounters with their folder, threads, metrics and lines in
/// the log. What fails for a while is logged when it begins and when it is over.
///
/// Threads: any thread; two inside, "counters-sync" and "counters". The destructor joins them and
///          puts on the disk what was added.
class EmbeddedCounterStore final : public CounterStore {
 public:
  /// Makes the folder, if it is not there, and takes it for this process.
  /// Errors: those of make_counter_folder and EmbeddedCounters; kUnavailable if another process has
  ///         the folder. Each names it.
  static Result<std::unique_ptr<EmbeddedCounterStore>> open(const EmbeddedCounterOptions& options,
                                                            const Clock& clock, Logger& logger,
                                                            std::optional<std::uint64_t> mark = {});
  /// Over other files, and without threads: the caller has to call `sync` and `maintain`.
  static Result<std::unique_ptr<EmbeddedCounterStore>> open_without_threads(
      const EmbeddedCounterOptions& options, std::unique_ptr<FileSystem> files, const Clock& clock,
      Logger& logger, std::optional<std::uint64_t> mark = {});
  ~EmbeddedCounterStore() override;
  EmbeddedCounterStore(const EmbeddedCounterStore&) = delete;
  EmbeddedCounterStore& operator=(const EmbeddedCounterStore&) = delete;
  EmbeddedCounterStore(EmbeddedCounterStore&&) = delete;
  EmbeddedCounterStore& operator=(EmbeddedCounterStore&&) = delete;

  Status add(const Addition& addition, TimePoint deadline) override;
  CounterAnswers ask(std::span<const CounterKey> keys, std::span<const Window> windows,
                     TimePoint deadline) override;
  Result<std::vector<Entry>> series(const CounterKey& key, TimePoint deadline) override;
  Result<std::unique_ptr<CounterCursor>> scan() override;
  Status import(std::span<const CounterSeries> counters, TimePoint deadline) override;
  Status learn(std::span<const PastAddition> additions, TimePoint deadline) override;
  Status forget(std::span<const CounterKey> keys, TimePoint deadline) override;
  Status verify(const std::stop_token& stop) override { return counters_->verify(stop); }
  Status repair(const std::stop_token& stop) override;
  [[nodiscard]] std::vector<CounterLoss> losses() const override { return counters_->losses(); }
  [[nodiscard]] Slot present_slot() override { return counters_->present_slot(); }
  void report(MetricReport& report) const override;

  // What the threads do.
  void sync();
  void maintain(const std::stop_token& stop = {});

 private:
  /// Work that may fail for a while.
  struct Work {
    explicit Work(std::string_view work_name) : name(work_name) {}
    std::string_view name;
    EventCount failures;
    std::atomic<bool> fails{false};
  };

  EmbeddedCounterStore(std::unique_ptr<FileSystem> files, const Clock& clock, Logger& logger);
  Status open_counters(const EmbeddedCounterOptions& options, std::optional<std::uint64_t> mark);
  void log_losses();
  /// What was found damaged since, and once a day all of it.
  void log_damage();
  void log_limits();
  Status log_outcome(Work& work, Status done);

  const std::unique_ptr<FileSystem> files_;
  const Clock& clock_;
  Logger& logger_;
  Work adding_{"add"};
  Work changing_{"change"};  ///< import, learn, forget
  Work syncing_{"sync"};
  Work maintaining_{"maintain"};
  Histogram ask_time_{kLatencyShape};
  Histogram add_time_{kLatencyShape};
  EventCount unknown_;
  AtMostEvery damage_lines_;
  AtMostEvery early_lines_;
  AtMostEvery shrunk_lines_;
  Guarded<std::vector<CounterLoss>> damage_logged_;
  std::uint64_t early_logged_ = 0;   ///< of `maintain`
  std::uint64_t shrunk_logged_ = 0;  ///< of `maintain`
  std::unique_ptr<EmbeddedCounters> counters_;
  std::optional<PeriodicTask> sync_task_;      ///< last: they use all of the above
  std::optional<PeriodicTask> maintain_task_;  ///< last
};

}  // namespace shingled::storage::counters
