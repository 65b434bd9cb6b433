#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/counters/bit_stream.h"
#include "storage/counters/counter.h"
#include "storage/counters/series.h"

namespace shingled::storage::counters {

/// A counter with all its entries, sorted by period.
struct Row {
  CounterKey key;
  std::vector<Entry> entries;
  friend bool operator==(const Row&, const Row&) = default;
};

/// The periods that the entries of a file may have.
struct PeriodRange {
  Slot slot_first = 0;
  Slot slot_last = 0;
  Day day_first = 0;
  Day day_last = 0;
  bool has_slots = false;
  bool has_days = false;

  void include(const Period& period);
  void include(const PeriodRange& other);
  /// Every entry is of the same slot, so entries need no period and rows no number of entries.
  [[nodiscard]] bool is_one_slot() const {
    return has_slots && !has_days && slot_first == slot_last;
  }
  /// Whether an entry may be of that day, by itself or through its slot.
  [[nodiscard]] bool covers_day(Day day) const {
    return (has_slots && day_of(slot_first) <= day && day <= day_of(slot_last)) ||
           (has_days && day_first <= day && day <= day_last);
  }
  friend bool operator==(const PeriodRange&, const PeriodRange&) = default;
};

/// Writes and reads the entries of rows, as bits.
/// Threads: a value.
/// Source:  COUNTERS.md section 5.
class RowCode {
 public:
  /// `range`: of all entries of the file.
  explicit RowCode(const PeriodRange& range);

  void write(std::span<const Entry> entries, BitWriter& out) const;
  /// Calls `take(period, amounts)` for each entry. Stops early if the bits are damaged; then
  /// `in.ok()` is false, or the amounts are wrong, which the checksum of the block finds first.
  template <typename Take>
  void read(BitReader& in, const Take& take) const {
    if (is_one_slot_) {
      const Amounts amounts = read_amounts(in);
      take(Period{Period::Unit::kSlot, range_.slot_first}, amounts);
      return;
    }
    const std::uint64_t entries = in.gamma();
    for (std::uint64_t i = 0; i < entries && in.ok(); ++i) {
      const Period period = read_period(in);
      const Amounts amounts = read_amounts(in);
      take(period, amounts);
    }
  }

  static void write_amounts(const Amounts& amounts, BitWriter& out);
  static Amounts read_amounts(BitReader& in);

 private:
  Period read_period(BitReader& in) const;

  PeriodRange range_;
  bool is_one_slot_ = false;
  unsigned slot_bits_ = 0;
  unsigned day_bits_ = 0;
};

}  // namespace shingled::storage::counters
