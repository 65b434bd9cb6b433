#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "storage/counters/counter.h"
#include "storage/counters/row_code.h"
#include "storage/counters/series.h"
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

}  // namespace shingled::storage::counters
