#include "storage/counters/view/view.h"

#include <iterator>
#include <optional>
#include <utility>

namespace shingled::storage::counters {

PairSeen View::seen_before(const Live& adding, const CounterKey& key, PairSeen& doubt) const {
  const Slot slot = adding.table.slot();
  const Day day = day_of(slot);
  // For a table that is read again after a call to forget, all was still there.
  const std::uint64_t before = last_forgotten(key);
  const std::uint64_t last = adding.number > before ? before : 0;
  PairSeen seen;
  const auto note_loss = [&](const LostPeriods& loss, std::int64_t) {
    doubt.in_slot = doubt.in_slot || loss.has_slot(slot);
    doubt.on_day = doubt.on_day || loss.has_day(day);
  };
  each_loss(key, note_loss);
  for (const auto& older : frozen) {
    if (older.get() == &adding || older->number <= last || day_of(older->table.slot()) != day)
      continue;
    if (older->table.find(key).of(Measure::kMass) == 0) continue;
    seen.on_day = true;
    seen.in_slot = seen.in_slot || older->table.slot() == slot;
  }
  for (const auto& file : files) {
    if (seen.in_slot || file->number() <= last || !file->sealed->footer().range.covers_day(day))
      continue;
    const Status found = file->sealed->find(key, [&](const Period& period, const Amounts& amounts) {
      if (amounts.of(Measure::kMass) == 0) return;
      const bool is_slot = period.unit == Period::Unit::kSlot;
      seen.on_day = seen.on_day || (is_slot ? day_of(period.number) : period.number) == day;
      seen.in_slot = seen.in_slot || (is_slot && period.number == slot);
    });
    if (found) continue;
    damage_->note(*file, found.error());
    note_loss(LostPeriods::of(file->sealed->footer().range), file->catalogued.id);
  }
  // Rather one too few than one pair twice.
  doubt.in_slot = doubt.in_slot && !seen.in_slot;
  doubt.on_day = doubt.on_day && !seen.on_day;
  seen.in_slot = seen.in_slot || doubt.in_slot;
  seen.on_day = seen.on_day || doubt.on_day;
  return seen;
}

Result<std::vector<Entry>> View::entries_of(const CounterKey& key) const {
  std::optional<std::int64_t> loss;
  each_loss(key, [&](const LostPeriods&, std::int64_t id) { loss = id; });
  if (loss) return Error{ErrorCode::kCorrupt, sealed_name(*loss) + ": is damaged or not there"};
  const std::uint64_t last = last_forgotten(key);
  std::vector<Entry> entries;
  const auto add_table = [&](const Live& each) {
    if (const Amounts amounts = each.table.find(key); !amounts.is_zero() && each.number > last)
      add_entry(entries, {{Period::Unit::kSlot, each.table.slot()}, amounts});
  };
  if (live) add_table(*live);
  for (const auto& table : frozen) add_table(*table);
  for (const auto& file : files) {
    if (file->number() <= last) continue;
    // What `find` calls must not allocate (read_mapped), so the entries are counted first.
    std::size_t count = 0;
    Status read = file->sealed->find(key, [&](const Period&, const Amounts&) { ++count; });
    std::vector<Entry> found(count);
    count = 0;
    if (read)
      read = file->sealed->find(key, [&](const Period& period, const Amounts& amounts) {
        if (count < found.size()) found[count++] = {period, amounts};
      });
    if (!read) {
      damage_->note(*file, read.error());
      return read.error();
    }
    for (const Entry& entry : found) add_entry(entries, entry);
  }
  return entries;
}

std::uint64_t View::disk_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& file : files) bytes += file->catalogued.bytes;
  return bytes;
}

void CurrentView::change(const std::function<void(View&)>& edit) {
  auto view = view_.lock();
  auto next = std::make_shared<View>(**view);
  edit(*next);
  ++next->number;
  *view = std::move(next);
}

void CurrentView::change_tables(const std::function<void(Tables&)>& change_them) {
  change([&](View& view) { change_them(view); });
}

void CurrentView::retire(const CounterFiles& files, const std::shared_ptr<Live>& table) {
  auto retired = retired_.lock();
  retired->insert(retired->end(), files.begin(), files.end());
  if (table) retired->push_back(table);
}

void CurrentView::free_retired() {
  std::vector<std::shared_ptr<const void>> unused;
  auto retired = retired_.lock();
  // Nobody can begin to use what only this list has.
  const auto first = std::partition(retired->begin(), retired->end(),
                                    [](const auto& each) { return each.use_count() > 1; });
  std::move(first, retired->end(), std::back_inserter(unused));
  retired->erase(first, retired->end());
}

}  // namespace shingled::storage::counters
