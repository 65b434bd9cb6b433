#include "storage/counters/sealed/unique_doubts.h"

#include <algorithm>
#include <array>

namespace shingled::storage::counters {

namespace {

/// Stands for every unique counter; no piece type has the number 0.
constexpr CounterKey kEvery{};

Day day_of_row(const sqlite::DoubtRow& row) { return row.is_day ? row.number : day_of(row.number); }

}  // namespace

void UniqueDoubts::add(const CounterKey& unique, const Period& period) {
  const bool is_day = period.unit == Period::Unit::kDay;
  sqlite::DoubtRow row{unique.shingle, unique.tag(), is_day, period.number};
  auto doubts = doubts_.lock();
  if (doubts->all.size() >= kMax && !doubts->all.contains(row))
    row = {kEvery.shingle, kEvery.tag(), is_day, period.number};
  if (!doubts->all.insert(row).second) return;
  doubts->unsaved.insert(row);
  size_.store(doubts->all.size(), std::memory_order_relaxed);
}

bool UniqueDoubts::concern(const CounterKey& unique, const Window& window, Slot now) const {
  if (size() == 0) return false;
  const bool is_slots = window.unit == Period::Unit::kSlot;
  const std::uint32_t present = is_slots ? now : day_of(now);
  if (window.skipped > present || window.count == 0) return false;
  const std::uint32_t newest = present - window.skipped;
  const std::uint32_t oldest = newest - std::min(newest, window.count - 1);
  auto doubts = doubts_.lock();
  return std::ranges::any_of(std::array{unique, kEvery}, [&](const CounterKey& key) {
    const auto at = doubts->all.lower_bound({key.shingle, key.tag(), !is_slots, oldest});
    return at != doubts->all.end() && at->shingle == key.shingle && at->tag == key.tag() &&
           at->is_day == !is_slots && at->number <= newest;
  });
}

void UniqueDoubts::take(std::span<const sqlite::DoubtRow> saved) {
  auto doubts = doubts_.lock();
  doubts->all.insert(saved.begin(), saved.end());
  size_.store(doubts->all.size(), std::memory_order_relaxed);
}

std::vector<sqlite::DoubtRow> UniqueDoubts::unsaved() const {
  if (size() == 0) return {};
  auto doubts = doubts_.lock();
  return {doubts->unsaved.begin(), doubts->unsaved.end()};
}

void UniqueDoubts::note_saved(std::span<const sqlite::DoubtRow> rows) {
  if (rows.empty()) return;
  auto doubts = doubts_.lock();
  for (const sqlite::DoubtRow& row : rows) doubts->unsaved.erase(row);
}

void UniqueDoubts::drop_before(Day day) {
  if (size() == 0) return;
  auto doubts = doubts_.lock();
  const auto is_old = [&](const sqlite::DoubtRow& row) { return day_of_row(row) < day; };
  std::erase_if(doubts->all, is_old);
  std::erase_if(doubts->unsaved, is_old);
  size_.store(doubts->all.size(), std::memory_order_relaxed);
}

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
