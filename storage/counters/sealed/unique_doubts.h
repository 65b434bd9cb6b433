#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include "config/base/guarded.h"
#include "storage/counters/counter.h"
#include "storage/counters/sealed/row_code.h"
#include "storage/sqlite/counters/counter_catalogue.h"

namespace shingled::storage::counters {

/// A part of a file that cannot be read: its shingles.
struct ShingleRange {
  std::uint64_t first = 0;
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  friend bool operator==(const ShingleRange&, const ShingleRange&) = default;
};

/// More parts of one file than this count as all of it.
inline constexpr std::size_t kGapsOfFileMax = 256;

/// The periods of entries, as windows look at them.
struct LostPeriods {
  Slot slot_first = 1;  ///< first > last = none
  Slot slot_last = 0;
  Day day_first = 1;  ///< of slots, too
  Day day_last = 0;

  template <typename Lost>  // GapRow or CataloguedFile
  static LostPeriods of(const Lost& lost) {
    return {lost.slot_first, lost.slot_last, lost.day_first, lost.day_last};
  }
  static LostPeriods of(const PeriodRange& range);

  [[nodiscard]] bool has_slot(Slot slot) const { return slot_first <= slot && slot <= slot_last; }
  [[nodiscard]] bool has_day(Day day) const { return day_first <= day && day <= day_last; }
  /// Whether a sum over the window may lack something. `now`: the present slot.
  [[nodiscard]] bool touch(const Window& window, Slot now) const;
};

[[nodiscard]] inline bool holds(const sqlite::GapRow& gap, std::uint64_t shingle) {
  return gap.shingle_first <= shingle && shingle <= gap.shingle_last;
}

/// What a file had in these parts of it.
std::vector<sqlite::GapRow> gaps_of(const sqlite::CataloguedFile& file,
                                    const std::vector<ShingleRange>& parts);

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
