#pragma once

#include <atomic>
#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "config/base/guarded.h"
#include "storage/counters/counter.h"
#include "storage/counters/series.h"
#include "storage/sqlite/counters/counter_catalogue.h"

namespace shingled::storage::counters {

/// Unique counters that may be too small in some periods: a pair of theirs came there, and whether
/// it was new could not be read. Such a counter is unknown in windows with that period.
///
/// Threads: any thread.
class UniqueDoubts {
 public:
  /// More than this, and all unique counters are in doubt in the periods that come.
  static constexpr std::size_t kMax = 65'536;

  void add(const CounterKey& unique, const Period& period);
  /// Cost: a load, as long as there are none.
  [[nodiscard]] bool concern(const CounterKey& unique, const Window& window, Slot now) const;

  /// Those of a catalogue, at the start.
  void take(std::span<const sqlite::DoubtRow> saved);
  /// What no catalogue has yet.
  [[nodiscard]] std::vector<sqlite::DoubtRow> unsaved() const;
  void note_saved(std::span<const sqlite::DoubtRow> rows);
  /// Drops those of earlier days.
  void drop_before(Day day);
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  struct Doubts {
    std::set<sqlite::DoubtRow> all;
    std::set<sqlite::DoubtRow> unsaved;
  };
  mutable Guarded<Doubts> doubts_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace shingled::storage::counters
