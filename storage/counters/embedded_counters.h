#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "config/system/file_system.h"
#include "storage/counters/addition.h"
#include "storage/counters/counter_log.h"
#include "storage/counters/counter_store.h"
#include "storage/counters/live_table.h"
#include "storage/counters/merge.h"
#include "storage/counters/sealed_file.h"
#include "storage/counters/series.h"
#include "storage/counters/timekeeper.h"
#include "storage/sqlite/counter_catalogue.h"

namespace shingled::storage::counters {

/// Numbers for metrics.
struct EmbeddedCounterStatus {
  std::uint64_t live_counters = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t files = 0;
  std::uint64_t rows = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t tables_unsealed = 0;
  std::uint64_t shrunk = 0;          ///< times that disk_max made files lose periods or counters
  std::uint64_t log_bytes_lost = 0;  ///< at the start (LogContent::bytes_lost)
};

/// Counters of this machine: the running ten minutes in memory over a log, the rest in sealed
/// files.
///
/// It has no thread. Its owner calls `sync` once per `counters.sync`, and `maintain` every few
/// seconds and whenever `wanted` was called.
///
/// Threads: `ask`, `add`, `series`, `sync` and `status` from any thread; `maintain` from one at a
///          time. `ask` never waits for a disk that `add` or `maintain` writes to.
/// Source:  COUNTERS.md sections 3 to 6.
class EmbeddedCounters {
 public:
  /// Takes up what was there before: logs that were not sealed are read into memory.
  ///
  /// `files`: the folder of sealed files and logs. `wanted`: called when `maintain` has work; from
  /// any thread, must not block.
  /// Errors: those of CounterCatalogue, FileSystem and SealedFile (a file that the catalogue names
  /// is not there or damaged at its end).
  static Result<std::unique_ptr<EmbeddedCounters>> open(const EmbeddedCounterOptions& options,
                                                        FileSystem& files, const Clock& clock,
                                                        std::function<void()> wanted = {});
  ~EmbeddedCounters() = default;
  EmbeddedCounters(const EmbeddedCounters&) = delete;
  EmbeddedCounters& operator=(const EmbeddedCounters&) = delete;
  EmbeddedCounters(EmbeddedCounters&&) = delete;
  EmbeddedCounters& operator=(EmbeddedCounters&&) = delete;

  /// Adds in the present period. What returns without an error survives the end of the process.
  /// Errors: kUnavailable (the disk), kLimit (memory_max is used and cannot be sealed), kInvalid
  /// (more than kAdditionKeysMax keys). Then nothing was added.
  Status add(const Addition& addition);

  /// The sums of some counters, as they are now.
  [[nodiscard]] CounterAnswers ask(std::span<const CounterKey> keys,
                                   std::span<const Window> windows);

  /// All entries of one counter, sorted by period.
  /// Errors: those of SealedFile.
  Result<std::vector<Entry>> series(const CounterKey& key);

  /// What was added before is on the disk afterwards.
  /// Errors: kUnavailable.
  Status sync();

  /// Seals tables of periods that are over or too large, merges files, deletes what is too old or
  /// beyond `disk_max`.
  /// Errors: the first one; the rest of the work is done, and the next call tries again.
  Status maintain(const std::stop_token& stop);

  /// Compares every checksum of every file.
  /// Errors: the first one.
  Status verify();

  [[nodiscard]] Slot present_slot();
  [[nodiscard]] EmbeddedCounterStatus status() const;

 private:
  /// A table and its log.
  struct Live {
    Live(Slot slot, std::uint64_t log_number) : table(slot), number(log_number) {}
    LiveTable table;
    std::uint64_t number;  ///< of its log
    std::unique_ptr<CounterLog>
        log;  ///< nullptr after a restart: the log only remains to be sealed
  };
  struct File {
    sqlite::CataloguedFile catalogued;
    std::unique_ptr<SealedFile> sealed;
  };
  /// What readers see. Never changed; a new one takes its place.
  struct View {
    std::shared_ptr<Live> live;
    std::vector<std::shared_ptr<Live>> frozen;  ///< the oldest first
    std::vector<std::shared_ptr<const File>> files;
  };
  using ViewPointer = std::shared_ptr<const View>;

  EmbeddedCounters(EmbeddedCounterOptions options, FileSystem& files, const Clock& clock,
                   std::function<void()> wanted,
                   std::unique_ptr<sqlite::CounterCatalogue> catalogue,
                   const Timekeeper::State& time);

  // At the start.
  Status open_files();
  Status read_logs();

  [[nodiscard]] ViewPointer view() const { return *view_.lock(); }
  void change_view(const std::function<void(View&)>& change);
  /// Begins a new table, unless the present one is still that of `seen`.
  Status begin_table(const Live* seen, Slot slot);
  [[nodiscard]] bool is_full(const View& view) const;
  void apply(const View& view, LiveTable& table, const Addition& addition);
  struct Seen {
    bool in_slot = false;
    bool on_day = false;
  };
  [[nodiscard]] Seen seen_before(const View& view, const LiveTable& table,
                                 const CounterKey& key) const;

  Status seal(const std::shared_ptr<Live>& table);
  Status merge_some(const std::stop_token& stop);
  Status expire(const std::stop_token& stop);
  Status shrink(const std::stop_token& stop);
  Status rewrite(const std::vector<std::shared_ptr<const File>>& inputs, const MergeRules& rules,
                 const std::stop_token& stop);
  /// Takes the place of `inputs`, in the catalogue and in the view; `made` may be nullptr.
  Status replace(const std::vector<std::shared_ptr<const File>>& inputs,
                 const std::shared_ptr<const File>& made, const std::shared_ptr<Live>& sealed);
  Result<std::shared_ptr<const File>> open_file(const sqlite::CataloguedFile& catalogued);
  [[nodiscard]] MergeRules rules_now();

  const EmbeddedCounterOptions options_;
  FileSystem& files_;
  const Clock& clock_;
  const std::function<void()> wanted_;
  std::unique_ptr<sqlite::CounterCatalogue> catalogue_;  ///< of `maintain`
  Guarded<Timekeeper> time_;
  /// Held together while something is added, alone while a new table takes its place.
  FairSharedMutex adding_;
  mutable Guarded<ViewPointer> view_;
  std::int64_t next_file_ = 1;     ///< of `maintain`
  Slot last_maintained_ = 0;       ///< of `maintain`
  std::uint32_t days_shrunk_ = 0;  ///< of `maintain`
  std::atomic<std::uint64_t> shrunk_{0};
  std::atomic<std::uint64_t> log_bytes_lost_{0};
  std::atomic<std::uint64_t> next_log_{1};
};

}  // namespace shingled::storage::counters
