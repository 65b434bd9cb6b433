#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "config/system/file_system.h"
#include "storage/counters/compactor/lost_files.h"
#include "storage/counters/counter_files.h"
#include "storage/counters/live/live_counters.h"
#include "storage/counters/sealed/merge.h"
#include "storage/counters/sealed/sealed_files.h"
#include "storage/counters/sealed/unique_doubts.h"
#include "storage/counters/timekeeper.h"
#include "storage/counters/view/view.h"

namespace shingled::storage::counters {

/// What the parts of the embedded counters share.
struct CounterParts {
  FileSystem& files;
  CounterClock& time;
  FileNumbers& numbers;
  SealedFiles& sealed;
  LiveCounters& live;
  CurrentView& view;
  UniqueDoubts& doubts;
  const DamageNotes& damage;
};

/// Makes sealed files of tables and fewer files of many, and drops what is too old, beyond
/// `disk_max`, or damaged.
///
/// Locks, each before the next: that of `maintain` and `repair`, that of `exclusively`, those of
/// LiveCounters, the catalogue, the view.
/// Threads: any thread.
/// Source:  COUNTERS.md sections 5 and 6.
class Compactor {
 public:
  /// The parts must outlive it.
  Compactor(const EmbeddedCounterOptions& options, const CounterParts& parts)
      : options_(options), use_(parts), lost_(parts.files, parts.sealed, parts.view) {}

  /// Seals tables of periods that are over or too large, merges files, deletes what is too old or
  /// beyond `disk_max`.
  /// Errors: the first one; the rest of the work is done, and the next call tries again.
  Status maintain(const std::stop_token& stop);
  /// Compares every checksum and sets aside what is damaged or lost.
  /// Errors: as `maintain`.
  Status repair(const std::stop_token& stop);

  /// Calls `work` while no table is sealed.
  Status exclusively(const std::function<Status()>& work);
  /// Within `exclusively`. In order: the first log that counts says that all before are sealed.
  Status seal_all(const std::vector<std::shared_ptr<Live>>& tables, const std::stop_token& stop);
  /// What takes the place of what.
  struct Replacement {
    CounterFiles inputs{};
    std::shared_ptr<const CounterFile> made{};  ///< nullptr = nothing
    std::shared_ptr<Live> sealed{};             ///< nullptr = no table
    std::vector<sqlite::GapRow> gaps{};         ///< if any, the inputs are set aside
  };
  /// Changes the catalogue, then the view.
  /// Errors: those of CounterCatalogue; then nothing has changed, unless the power is cut.
  Status replace(const Replacement& change);

  /// Times that disk_max made files lose periods or counters.
  [[nodiscard]] std::uint64_t shrunk() const { return shrunk_.load(std::memory_order_relaxed); }

 private:
  Status seal_frozen(const std::stop_token& stop);
  Status seal(const std::shared_ptr<Live>& table);
  [[nodiscard]] CounterFiles whole_files() const;
  /// Whether what is made of these files has room on the disk beside them.
  Status has_room(const CounterFiles& inputs);
  Status merge_some(const std::stop_token& stop);
  /// `lost`: what is damaged is left out; else such a file is not merged.
  Status rewrite(const CounterFiles& inputs, const MergeRules& rules, const std::stop_token& stop,
                 std::vector<ShingleRange>* lost = nullptr);
  Status expire(const std::stop_token& stop);
  Status shrink(const std::stop_token& stop);
  /// Writes the files again that are smaller by these rules, until those that are left are small
  /// enough; true if they are.
  Result<bool> shrink_by(const MergeRules& rules, const std::stop_token& stop);
  Status set_aside_corrupt(const std::stop_token& stop);

  const EmbeddedCounterOptions options_;
  const CounterParts use_;
  LostFiles lost_;
  Mutex maintaining_;
  Mutex sealing_;
  Slot last_maintained_ = 0;  ///< of `maintain`
  std::atomic<std::uint64_t> shrunk_{0};
};

}  // namespace shingled::storage::counters
