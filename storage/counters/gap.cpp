#include "storage/counters/gap.h"

#include <algorithm>

namespace shingled::storage::counters {

LostPeriods LostPeriods::of(const PeriodRange& range) {
  LostPeriods out;
  if (range.has_slots) {
    out = {range.slot_first, range.slot_last, day_of(range.slot_first), day_of(range.slot_last)};
  }
  if (range.has_days) {
    out.day_first = range.has_slots ? std::min(out.day_first, range.day_first) : range.day_first;
    out.day_last = range.has_slots ? std::max(out.day_last, range.day_last) : range.day_last;
  }
  return out;
}

bool LostPeriods::touch(const Window& window, Slot now) const {
  const bool is_slots = window.unit == Period::Unit::kSlot;
  const std::uint32_t present = is_slots ? now : day_of(now);
  const std::uint32_t first = is_slots ? slot_first : day_first;
  const std::uint32_t last = is_slots ? slot_last : day_last;
  if (first > last || window.count == 0 || window.skipped > present) return false;
  const std::uint32_t newest = present - window.skipped;
  const std::uint32_t oldest = newest - std::min(newest, window.count - 1);
  return first <= newest && oldest <= last;
}

std::vector<sqlite::GapRow> gaps_of(const sqlite::CataloguedFile& file,
                                    const std::vector<ShingleRange>& parts) {
  std::vector<sqlite::GapRow> gaps;
  const auto add = [&](const ShingleRange& part) {
    gaps.push_back({file.id, part.first, part.last, file.day_first, file.day_last, file.slot_first,
                    file.slot_last});
  };
  if (parts.size() > kGapsOfFileMax)
    add({});
  else
    std::ranges::for_each(parts, add);
  return gaps;
}

}  // namespace shingled::storage::counters
