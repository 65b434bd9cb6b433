#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/counters/counter.h"
#include "storage/counters/sealed/prefix_code.h"

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
  [[nodiscard]] std::uint64_t slots() const {
    return has_slots ? std::uint64_t{slot_last - slot_first} + 1 : 0;
  }
  [[nodiscard]] std::uint64_t days() const {
    return has_days ? std::uint64_t{day_last - day_first} + 1 : 0;
  }
  friend bool operator==(const PeriodRange&, const PeriodRange&) = default;
};

/// The codes of a file. Which numbers are frequent differs by site, so each file has its own.
struct RowCodes {
  PrefixCode tags;     ///< CounterKey::tag
  PrefixCode heads;    ///< what amounts are like
  PrefixCode periods;  ///< the first period of a row; no symbols if entries need none
};

/// Writes and reads the entries of rows, as bits.
/// Threads: a value.
/// Source:  COUNTERS.md section 5.
class RowCode {
 public:
  /// `range`: of all entries of the file. `codes`: of as many symbols as `symbols` says.
  RowCode(const PeriodRange& range, RowCodes codes);

  struct Symbols {
    std::size_t tags = 0;
    std::size_t heads = 0;
    std::size_t periods = 0;
  };
  static Symbols symbols(const PeriodRange& range);
  /// Codes for files whose rows are like these.
  static RowCodes codes_for(const PeriodRange& range, std::span<const Row> rows);

  [[nodiscard]] const RowCodes& codes() const { return codes_; }

  void write_tag(std::uint8_t tag, BitWriter& out) const { codes_.tags.write(tag, out); }
  [[nodiscard]] std::uint8_t read_tag(BitReader& in) const {
    return static_cast<std::uint8_t>(codes_.tags.read(in));
  }

  void write(std::span<const Entry> entries, BitWriter& out) const;
  /// Calls `take(period, amounts)` for each entry. Stops early if the bits are damaged; then
  /// `in.ok()` is false, or the amounts are wrong, which the checksum of the block finds first.
  template <typename Take>
  void read(BitReader& in, const Take& take) const {
    for_each_period(in, [&](const Period& period) { take(period, read_amounts(in)); });
  }
  void skip(BitReader& in) const {
    for_each_period(in, [&](const Period&) { skip_amounts(in); });
  }

  void write_amounts(const Amounts& amounts, BitWriter& out) const;
  [[nodiscard]] Amounts read_amounts(BitReader& in) const;

 private:
  template <typename Take>
  void for_each_period(BitReader& in, const Take& take) const {
    if (is_one_slot_) {
      take(Period{Period::Unit::kSlot, range_.slot_first});
      return;
    }
    const std::uint64_t entries = in.gamma();
    std::uint64_t place = read_first_place(in);
    take(period_at(place));
    for (std::uint64_t left = entries - 1; left > 0 && in.ok(); --left) {
      place += 1 + in.rice(gap_bits(place, left));
      take(period_at(place));
    }
  }
  void skip_amounts(BitReader& in) const;

  // The slots of the file and then its days have the numbers from 0 to periods_ - 1.
  [[nodiscard]] std::uint64_t place_of(const Period& period) const {
    return period.unit == Period::Unit::kSlot ? period.number - range_.slot_first
                                              : slots_ + (period.number - range_.day_first);
  }
  [[nodiscard]] Period period_at(std::uint64_t place) const {
    if (place < slots_) return {Period::Unit::kSlot, static_cast<Slot>(range_.slot_first + place)};
    return {Period::Unit::kDay, static_cast<Day>(range_.day_first + (place - slots_))};
  }
  [[nodiscard]] std::uint64_t read_first_place(BitReader& in) const;
  /// The width of the distance to the next of `left` places: about the logarithm of the mean.
  [[nodiscard]] unsigned gap_bits(std::uint64_t place, std::uint64_t left) const {
    const std::uint64_t behind = place < periods_ ? periods_ - place : 0;
    const auto bits =
        static_cast<int>(std::bit_width(behind)) - static_cast<int>(std::bit_width(left + 1));
    return bits > 0 ? static_cast<unsigned>(bits) : 0;
  }

  PeriodRange range_;
  RowCodes codes_;
  bool is_one_slot_ = false;
  std::uint64_t slots_ = 0;
  std::uint64_t periods_ = 0;
};

}  // namespace shingled::storage::counters
