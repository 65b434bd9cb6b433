#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/result.h"
#include "storage/counters/counter.h"
#include "storage/counters/live/live_counters.h"
#include "storage/counters/sealed/sealed_files.h"
#include "storage/counters/sealed/unique_doubts.h"
#include "storage/sqlite/counters/counter_catalogue.h"

namespace shingled::storage::counters {

/// Which counters were forgotten. Logs, tables and files have numbers, each larger than all before:
/// what a forgotten counter has in those up to a number does not count.
/// Threads: a value.
class ForgottenCounters {
 public:
  void put(const CounterKey& key, std::uint64_t last) {
    std::uint64_t& there = last_[key];
    if (last > there) there = last;
  }
  /// The largest number that does not count for this counter; 0 = all count.
  [[nodiscard]] std::uint64_t last(const CounterKey& key) const {
    const auto found = last_.find(key);
    return found == last_.end() ? 0 : found->second;
  }
  [[nodiscard]] bool has_before(std::uint64_t first) const {
    return std::ranges::any_of(last_, [&](const auto& row) { return row.second < first; });
  }
  /// Drops what applies to numbers below `first` only.
  void drop_before(std::uint64_t first) {
    std::erase_if(last_, [&](const auto& row) { return row.second < first; });
  }
  [[nodiscard]] std::size_t size() const { return last_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const CounterKey& key) const {
      return static_cast<std::size_t>(key.shingle ^ key.tag());  // shingles are hashes
    }
  };
  std::unordered_map<CounterKey, std::uint64_t, Hash> last_;
};

/// What readers see: all tables and files of a moment. Never changed; a new one takes its place.
class View final : public Tables {
 public:
  /// `damage` must outlive it.
  explicit View(const DamageNotes& damage) : damage_(&damage) {}

  [[nodiscard]] PairSeen seen_before(const Live& adding, const CounterKey& pair,
                                     PairSeen& doubt) const override;
  /// All entries of one counter, sorted by period.
  /// Errors: those of SealedFile; kCorrupt if it may have been in what is lost.
  [[nodiscard]] Result<std::vector<Entry>> entries_of(const CounterKey& key) const;

  /// What a counter has in tables and files up to this number does not count.
  [[nodiscard]] std::uint64_t last_forgotten(const CounterKey& key) const {
    return forgotten ? forgotten->last(key) : 0;
  }
  /// Calls `take(LostPeriods, id of the file)` for whatever may have had entries of this counter
  /// and cannot be read; without what `find` finds in files.
  template <typename Take>
  void each_loss(const CounterKey& key, const Take& take) const {
    if (lost.empty() && gaps.empty()) return;
    const auto last = static_cast<std::int64_t>(last_forgotten(key));
    for (const sqlite::CataloguedFile& file : lost)
      if (file.id > last) take(LostPeriods::of(file), file.id);
    for (const sqlite::GapRow& gap : gaps)
      if (holds(gap, key.shingle) && gap.id > last) take(LostPeriods::of(gap), gap.id);
  }
  [[nodiscard]] std::uint64_t disk_bytes() const;

  CounterFiles files;
  std::vector<sqlite::CataloguedFile> lost;  ///< named by the catalogue, but not to be read
  std::vector<sqlite::GapRow> gaps;          ///< of files that were set aside
  std::shared_ptr<const ForgottenCounters> forgotten;  ///< nullptr = none
  std::uint64_t number = 0;                            ///< each view has its own

 private:
  const DamageNotes* damage_;
};
using ViewPointer = std::shared_ptr<const View>;

/// The present view.
/// Threads: any thread.
class CurrentView final : public TableBoard {
 public:
  explicit CurrentView(const DamageNotes& damage)
      : view_(std::in_place, std::make_shared<const View>(damage)) {}

  [[nodiscard]] ViewPointer get() const { return *view_.lock(); }
  void change(const std::function<void(View&)>& edit);
  [[nodiscard]] std::shared_ptr<const Tables> tables() const override { return get(); }
  void change_tables(const std::function<void(Tables&)>& edit) override;

  /// What no view has any more. Who lets go of it last frees its memory, for a large file up to
  /// 100 ms; that must not be a reader who still has an old view.
  void retire(const CounterFiles& files, const std::shared_ptr<Live>& table);
  /// Frees what was retired and nobody reads any more.
  void free_retired();

 private:
  mutable Guarded<ViewPointer> view_;
  Guarded<std::vector<std::shared_ptr<const void>>> retired_;
};

}  // namespace shingled::storage::counters
