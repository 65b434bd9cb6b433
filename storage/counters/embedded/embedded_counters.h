#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "config/system/file_system.h"
#include "storage/counters/compactor/compactor.h"
#include "storage/counters/compactor/past_counters.h"
#include "storage/counters/counter_store.h"
#include "storage/counters/live/live_counters.h"
#include "storage/counters/sealed/sealed_files.h"
#include "storage/counters/view/counter_reader.h"
#include "storage/counters/view/view.h"

namespace shingled::storage::counters {

/// Numbers for metrics.
struct EmbeddedCounterStatus {
  std::uint64_t live_counters = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t files = 0;
  std::uint64_t rows = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t tables_unsealed = 0;
  std::uint64_t cache_bytes = 0;
  std::uint64_t shrunk = 0;          ///< times that disk_max made files lose periods or counters
  std::uint64_t sealed_early = 0;    ///< tables that memory_max ended before their ten minutes
  std::uint64_t forgotten = 0;       ///< counters that were forgotten and are still in files
  std::uint64_t files_lost = 0;      ///< of the catalogue, not there or damaged at their end
  std::uint64_t files_damaged = 0;   ///< damaged within, and not set aside yet
  std::uint64_t gaps = 0;            ///< parts of files that were set aside and cannot be read
  std::uint64_t doubts = 0;          ///< unique counters and periods in which they may be too small
  std::uint64_t logs_lost = 0;       ///< at the start: damaged at their beginning, or unreadable
  std::uint64_t log_bytes_lost = 0;  ///< at the start (LogContent::bytes_lost)
  std::vector<std::string> lost;     ///< what is wrong with the files and logs that were lost
};

/// Counters of this machine: the running ten minutes in memory over a log, the rest in sealed
/// files.
///
/// Four classes do it, by way of a view that is never changed but replaced: LiveCounters adds,
/// SealedFiles has the catalogue, Compactor and PastCounters make files of tables and files, and
/// CounterReader answers.
///
/// It has no thread. Its owner calls `sync` once per `counters.sync`, and `maintain` every few
/// seconds and whenever `wanted` was called.
///
/// Threads: any thread, except `maintain` from one at a time. `ask` never waits for a disk that
///          others write to; `add` does for its own record, and the one that begins a table for it.
/// Source:  COUNTERS.md sections 3 to 6.
class EmbeddedCounters {
 public:
  /// Takes up what was there before: logs that were not sealed are read into memory. A sealed file
  /// that is gone or damaged does not count as an error: counters that may have been in it are
  /// unknown until it would be too old.
  ///
  /// `files`: the folder of sealed files and logs. `wanted`: called when `maintain` has work; from
  /// any thread, must not block.
  /// `mark`: of the key of the shingles; a catalogue without a mark gets it.
  /// Errors: those of CounterCatalogue and of reading the folder; kInvalid if the catalogue has
  /// another mark.
  static Result<std::unique_ptr<EmbeddedCounters>> open(const EmbeddedCounterOptions& options,
                                                        FileSystem& files, const Clock& clock,
                                                        std::function<void()> wanted = {},
                                                        std::optional<std::uint64_t> mark = {});
  ~EmbeddedCounters() = default;
  EmbeddedCounters(const EmbeddedCounters&) = delete;
  EmbeddedCounters& operator=(const EmbeddedCounters&) = delete;
  EmbeddedCounters(EmbeddedCounters&&) = delete;
  EmbeddedCounters& operator=(EmbeddedCounters&&) = delete;

  /// Adds in the present period. What returns without an error survives the end of the process.
  /// Errors: kUnavailable (the disk), kLimit (memory_max is used and cannot be sealed), kInvalid
  /// (more than kAdditionKeysMax keys). Then nothing was added.
  Status add(const Addition& addition) { return live_.add(addition); }

  /// The sums of some counters, as they are now.
  [[nodiscard]] CounterAnswers ask(std::span<const CounterKey> keys,
                                   std::span<const Window> windows) {
    return reader_.ask(keys, windows);
  }

  /// All entries of one counter, sorted by period.
  /// Errors: those of SealedFile.
  Result<std::vector<Entry>> series(const CounterKey& key) { return view_.get()->entries_of(key); }

  /// All counters, sorted by key. Slots that are not kept any more come as their days. Files that
  /// were lost are left out.
  [[nodiscard]] std::unique_ptr<CounterCursor> scan() { return reader_.scan(); }

  // As those of CounterStore. One at a time; the others wait.
  Status import(std::span<const CounterSeries> counters) { return past_.import(counters); }
  Status learn(std::span<const PastAddition> additions) { return past_.learn(additions); }
  Status forget(std::span<const CounterKey> keys) { return past_.forget(keys); }

  /// What was added before is on the disk afterwards.
  /// Errors: kUnavailable. A table whose log cannot be synced is ended, and `sync` fails until it
  ///         is sealed.
  Status sync() { return live_.sync(); }

  /// Seals tables of periods that are over or too large, merges files, deletes what is too old or
  /// beyond `disk_max`.
  /// Errors: the first one; the rest of the work is done, and the next call tries again.
  Status maintain(const std::stop_token& stop) { return compactor_.maintain(stop); }

  /// Compares every checksum of every file. What was set aside is not compared any more.
  /// Errors: the first one; a file that was lost.
  Status verify(const std::stop_token& stop);

  /// Compares every checksum and sets aside what is damaged or lost, so that the rest is whole and
  /// merged again. What cannot be read stays unknown.
  /// Errors: as `maintain`.
  /// Threads: any thread; waits for `maintain`.
  Status repair(const std::stop_token& stop);

  /// What cannot be read, by file.
  [[nodiscard]] std::vector<CounterLoss> losses() const { return reader_.losses(); }

  [[nodiscard]] Slot present_slot() { return time_.present_slot(); }
  [[nodiscard]] EmbeddedCounterStatus status() const;

 private:
  EmbeddedCounters(const EmbeddedCounterOptions& options, FileSystem& files, const Clock& clock,
                   const std::function<void()>& wanted, std::unique_ptr<SealedFiles> sealed,
                   const Timekeeper::State& time);
  /// What was there before.
  Status take_up();
  [[nodiscard]] CounterParts parts();

  FileSystem& files_;
  CounterClock time_;
  FileNumbers numbers_;
  UniqueDoubts doubts_;
  DamageNotes damage_;
  std::unique_ptr<SealedFiles> sealed_;
  CurrentView view_;
  LiveCounters live_;
  CounterReader reader_;
  Compactor compactor_;
  PastCounters past_;
  std::uint64_t log_bytes_lost_ = 0;  ///< these three never change after the start
  std::uint64_t logs_lost_ = 0;
  std::vector<std::string> lost_;
  std::atomic<bool> are_logs_told_{false};  ///< `repair` was called since
};

}  // namespace shingled::storage::counters
