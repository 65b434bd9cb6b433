#include "storage/counters/sealed/merge.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "storage/counters/sealed/sealed_writer.h"

namespace shingled::storage::counters {

namespace {

constexpr std::uint64_t kRowsBetweenLooks = 4096;
/// A file is merged with the smaller ones if it has at most this times their bytes together.
constexpr std::uint64_t kMergeRatio = 2;

/// Of all entries after the rules, or a little wider.
PeriodRange range_after(const PeriodRange& range, const MergeRules& rules) {
  PeriodRange out;
  const auto include_days = [&](Day first, Day last) {
    if (last < rules.days_from) return;
    out.include({Period::Unit::kDay, std::max(first, rules.days_from)});
    out.include({Period::Unit::kDay, last});
  };
  if (range.has_slots && range.slot_last >= rules.slots_from) {
    out.include({Period::Unit::kSlot, std::max(range.slot_first, rules.slots_from)});
    out.include({Period::Unit::kSlot, range.slot_last});
  }
  if (range.has_slots && range.slot_first < rules.slots_from)
    include_days(day_of(range.slot_first), day_of(std::min(range.slot_last, rules.slots_from - 1)));
  if (range.has_days) include_days(range.day_first, range.day_last);
  return out;
}

/// A file being merged and the row that it is at.
struct Source {
  Source(const SealedFile& file, std::vector<ShingleRange>* lost) : cursor(file, lost) {}

  Status advance() {
    auto next = cursor.next();
    if (!next) return next.error();
    row = *next;
    return {};
  }

  SealedFile::Cursor cursor;
  const Row* row = nullptr;
};

}  // namespace

std::vector<Entry> apply_rules(PieceType type, std::span<const Entry> entries,
                               const MergeRules& rules) {
  std::vector<Entry> out;
  for (const Entry& entry : entries) {
    const bool is_slot = entry.period.unit == Period::Unit::kSlot;
    if (is_slot && entry.period.number >= rules.slots_from) {
      add_entry(out, entry);
      continue;
    }
    const Day day = is_slot ? day_of(entry.period.number) : entry.period.number;
    Entry of_day{{Period::Unit::kDay, day},
                 is_slot ? day_part(type, entry.amounts) : entry.amounts};
    if (day >= rules.days_from && !of_day.amounts.is_zero()) add_entry(out, of_day);
  }
  std::erase_if(out, [&](const Entry& entry) {
    return entry.period.unit == Period::Unit::kDay && entry.period.number < rules.singles_from &&
           entry.amounts.of(Measure::kMass) <= 1;
  });
  return out;
}

Result<SealedFooter> merge_files(FileSystem& files, std::span<const SealedFile* const> inputs,
                                 const std::string& name, const MergeRules& rules,
                                 const std::stop_token& stop, const LeavesOut& leaves_out,
                                 const std::function<Status()>& meanwhile,
                                 std::vector<ShingleRange>* lost) {
  PeriodRange range;
  std::uint64_t rows = 0;
  std::vector<Source> sources;
  for (const SealedFile* input : inputs) {
    range.include(range_after(input->footer().range, rules));
    rows += input->footer().rows;
    sources.emplace_back(*input, lost);
    if (Status status = sources.back().advance(); !status) return status.error();
  }
  auto writer = SealedWriter::begin(files, name, rows, range);
  if (!writer) return writer.error();

  // The source with the smallest key is on top. At most a few sources, so a heap of them is quick.
  const auto is_later = [&](std::size_t a, std::size_t b) {
    return sources[b].row->key < sources[a].row->key;
  };
  std::vector<std::size_t> heap;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i].row != nullptr) heap.push_back(i);
  std::ranges::make_heap(heap, is_later);

  std::vector<Entry> entries;
  for (std::uint64_t taken = 0; !heap.empty(); ++taken) {
    if (taken % kRowsBetweenLooks == 0) {
      if (stop.stop_requested()) return Error{ErrorCode::kTimeout, "stopped"};
      if (Status done = meanwhile ? meanwhile() : Status{}; !done) return done.error();
    }
    const CounterKey key = sources[heap.front()].row->key;
    entries.clear();
    while (!heap.empty() && sources[heap.front()].row->key == key) {
      std::ranges::pop_heap(heap, is_later);
      Source& source = sources[heap.back()];
      if (!leaves_out || !leaves_out(heap.back(), key))
        entries.insert(entries.end(), source.row->entries.begin(), source.row->entries.end());
      if (Status status = source.advance(); !status) return status.error();
      if (source.row == nullptr)
        heap.pop_back();
      else
        std::ranges::push_heap(heap, is_later);
    }
    const std::vector<Entry> kept = apply_rules(key.type, entries, rules);
    if (kept.empty()) continue;
    if (Status added = writer->add(key, kept); !added) return added.error();
  }
  return writer->finish();
}

std::vector<std::size_t> files_to_merge(std::span<const std::uint64_t> bytes) {
  std::vector<std::size_t> places(bytes.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::sort(places, {}, [&](std::size_t place) { return bytes[place]; });
  std::uint64_t smaller = 0;
  std::size_t merged = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i > 0 && bytes[places[i]] / kMergeRatio <= smaller) merged = i + 1;
    smaller += bytes[places[i]];
  }
  places.resize(merged);
  return places;
}

MergeRules rules_now(CounterClock& time) {
  const Slot slot = time.present_slot();
  MergeRules rules;
  if (!time.may_expire()) return rules;
  rules.slots_from = slot >= kSlotsPerDay ? slot - kSlotsPerDay + 1 : 0;
  rules.days_from = day_of(slot) >= kDaysKept ? day_of(slot) - kDaysKept + 1 : 0;
  return rules;
}

}  // namespace shingled::storage::counters
