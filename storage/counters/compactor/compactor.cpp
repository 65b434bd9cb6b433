#include "storage/counters/compactor/compactor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "storage/counters/sealed/sealed_writer.h"

namespace shingled::storage::counters {

namespace {

/// A file is written again when it has periods that are this much too old.
constexpr Slot kSlotSlack = kSlotsPerDay;
constexpr Day kDaySlack = 1;
/// In one call of `maintain`, so that the rest of its work comes though more and more is sealed.
constexpr int kMergesMax = 4;
constexpr std::uint64_t kKilobyte = 1000;
/// Files beyond the bound of the disk shrink by this part of it.
constexpr std::uint64_t kShrinkShare = 16;

void keep_first(Status& first, Status status) {
  if (first && !status) first = std::move(status);
}

std::int64_t file_id(std::uint64_t number) { return static_cast<std::int64_t>(number); }

/// Without those that apply to nothing any more. `first`: the smallest number that is still there.
std::shared_ptr<const ForgottenCounters> left_from(
    std::shared_ptr<const ForgottenCounters> forgotten, std::uint64_t first) {
  if (!forgotten || !forgotten->has_before(first)) return forgotten;
  auto left = std::make_shared<ForgottenCounters>(*forgotten);
  left->drop_before(first);
  return left->size() == 0 ? nullptr : left;
}

}  // namespace

Status Compactor::maintain(const std::stop_token& stop) {
  const MutexLock maintaining(maintaining_);
  Status first;
  const Slot slot = use_.time.present_slot();
  if (const std::shared_ptr<Live> live = use_.view.get()->live;
      live && live->table.slot() != slot && live->table.size() > 0)
    keep_first(first, use_.live.begin_after(live.get(), slot));
  keep_first(first, seal_frozen(stop));
  keep_first(first, set_aside_corrupt(stop));
  keep_first(first, expire(stop));
  keep_first(first, merge_some(stop));
  keep_first(first, shrink(stop));
  if (slot != last_maintained_) {
    const Timekeeper::State time = use_.time.state();
    keep_first(first, use_.sealed.catalogue()->file->set_time({time.wall, time.doubted_until}));
    last_maintained_ = slot;
  }
  use_.view.free_retired();
  return first;
}

Status Compactor::seal_frozen(const std::stop_token& stop) {
  const MutexLock sealing(sealing_);
  Status sealed = seal_all(use_.view.get()->frozen, stop);
  use_.view.free_retired();
  return sealed;
}

Status Compactor::exclusively(const std::function<Status()>& work) {
  const MutexLock sealing(sealing_);
  return work();
}

Status Compactor::seal_all(const std::vector<std::shared_ptr<Live>>& tables,
                           const std::stop_token& stop) {
  // In order: the number of the first log that counts says that all before it are sealed.
  for (const auto& table : tables) {
    if (stop.stop_requested()) return {};
    if (Status sealed = seal(table); !sealed) return sealed;
  }
  return {};
}

Status Compactor::seal(const std::shared_ptr<Live>& table) {
  std::shared_ptr<const CounterFile> made;
  if (table->table.size() > 0) {
    PeriodRange range;
    range.include({Period::Unit::kSlot, table->table.slot()});
    auto writer = SealedWriter::begin(use_.files, sealed_name(file_id(table->number)),
                                      table->table.size(), range);
    if (!writer) return writer.error();
    Status written;
    std::vector<Entry> entry(1);
    entry[0].period = {Period::Unit::kSlot, table->table.slot()};
    table->table.for_each([&](const CounterKey& key, const Amounts& amounts) {
      entry[0].amounts = amounts;
      if (written) written = writer->add(key, entry);
    });
    if (!written) return written;
    const auto footer = writer->finish();
    if (!footer) return footer.error();
    auto file = use_.sealed.open_made(table->number, *footer);
    if (!file) return file.error();
    made = *std::move(file);
  }
  return replace({.made = made, .sealed = table});
}

Status Compactor::replace(const Replacement& change) {
  std::vector<std::int64_t> removed;
  removed.reserve(change.inputs.size());
  for (const auto& input : change.inputs) removed.push_back(input->catalogued.id);
  sqlite::CounterCatalogue::Change row;
  row.removed = removed;
  if (change.made) row.added = std::span(&change.made->catalogued, 1);
  if (change.sealed) row.first_log = change.sealed->number + 1;
  row.gaps = change.gaps;
  // Before the log goes that would bring them again.
  const std::vector<sqlite::DoubtRow> doubts = use_.doubts.unsaved();
  row.doubts = doubts;
  auto catalogue = use_.sealed.catalogue();
  if (Status changed = catalogue->file->change(row); !changed) {
    // That of a table is made again under its name.
    if (change.made && !change.sealed)
      catalogue->unsure.push_back(sealed_name(change.made->catalogued.id));
    return changed;
  }
  use_.doubts.note_saved(doubts);
  use_.sealed.remove_all(catalogue->unsure);
  if (change.sealed) catalogue->first_log = change.sealed->number + 1;
  // Only who has the catalogue changes files and what was forgotten. That may be much, so it is
  // looked through before anybody has to wait for the view.
  const ViewPointer before = use_.view.get();
  CounterFiles files = before->files;
  std::erase_if(files, [&](const auto& file) {
    return std::ranges::find(change.inputs, file) != change.inputs.end();
  });
  if (change.made) files.push_back(change.made);
  std::uint64_t first_left = catalogue->first_log;
  for (const auto& file : files) first_left = std::min(first_left, file->number());
  for (const auto& file : before->lost)
    first_left = std::min(first_left, static_cast<std::uint64_t>(file.id));
  std::vector<sqlite::GapRow> all_gaps = before->gaps;
  all_gaps.insert(all_gaps.end(), change.gaps.begin(), change.gaps.end());
  for (const auto& gap : all_gaps)
    first_left = std::min(first_left, static_cast<std::uint64_t>(gap.id));
  const auto forgotten = left_from(before->forgotten, first_left);
  use_.view.change([&](View& view) {
    view.files = std::move(files);
    std::erase(view.frozen, change.sealed);
    view.gaps = std::move(all_gaps);
    view.forgotten = forgotten;
  });
  use_.view.retire(change.inputs, change.sealed);
  // Readers may still have them open. What cannot be removed now goes at the next start.
  for (const std::int64_t id : removed) {
    if (change.gaps.empty())
      static_cast<void>(use_.files.remove(sealed_name(id)));
    else
      use_.sealed.move_aside(id);
  }
  if (change.sealed) drop_log(use_.files, change.sealed->number, change.sealed->is_log_damaged);
  return {};
}

Status Compactor::rewrite(const CounterFiles& inputs, const MergeRules& rules,
                          const std::stop_token& stop, std::vector<ShingleRange>* lost) {
  std::vector<const SealedFile*> sealed;
  sealed.reserve(inputs.size());
  for (const auto& input : inputs) sealed.push_back(input->sealed.get());
  std::uint64_t number = 0;
  std::shared_ptr<const ForgottenCounters> forgotten;
  {
    auto catalogue = use_.sealed.catalogue();
    if (Status settled = use_.sealed.settle(*catalogue); !settled) return settled;
    // What is forgotten from now on has this number, too.
    number = use_.numbers.take();
    forgotten = use_.view.get()->forgotten;
  }
  LeavesOut leaves_out;
  if (forgotten)
    leaves_out = [&](std::size_t place, const CounterKey& key) {
      return inputs[place]->number() <= forgotten->last(key);
    };
  if (Status room = has_room(inputs); !room) return room;
  const std::string name = sealed_name(file_id(number));
  // A merge may take minutes; tables that wait for it would fill the memory.
  const auto footer = merge_files(
      use_.files, sealed, name, rules, stop, leaves_out, [&] { return seal_frozen(stop); }, lost);
  if (!footer) {
    // What is damaged is set aside next, and is not an error of this work.
    if (footer.error().code != ErrorCode::kTimeout && use_.damage.find(inputs) &&
        footer.error().code == ErrorCode::kCorrupt)
      return {};
    return footer.error();
  }
  std::vector<sqlite::GapRow> gaps;
  if (lost != nullptr) gaps = gaps_of(inputs.front()->catalogued, *lost);
  if (footer->rows == 0) {
    if (Status removed = use_.files.remove(name); !removed) return removed;
    return replace({.inputs = inputs, .gaps = gaps});
  }
  auto made = use_.sealed.open_made(number, *footer);
  if (!made) return made.error();
  Day singles_from = inputs.front()->singles_from;
  for (const auto& input : inputs)
    singles_from = std::min(singles_from, input->singles_from.load());
  (*made)->singles_from = std::max(singles_from, rules.singles_from);
  return replace({.inputs = inputs, .made = *made, .gaps = gaps});
}

Status Compactor::has_room(const CounterFiles& inputs) {
  // Tried on a disk with less, it would fill that until it fails, and again a few seconds later:
  // logs could not be written meanwhile, nor what others have on that disk.
  const auto free = use_.files.free_bytes();
  if (!free) return free.error();
  std::uint64_t bytes = 0;
  for (const auto& input : inputs) bytes += input->catalogued.bytes;
  const std::uint64_t wanted = bytes + std::min(bytes, options_.log_max);
  if (*free >= wanted) return {};
  return Error{ErrorCode::kUnavailable,
               fmt::format("to merge files needs {} kB on the disk of {}, which has {} kB free",
                           wanted / kKilobyte, options_.directory, *free / kKilobyte)};
}

Status Compactor::merge_some(const std::stop_token& stop) {
  for (int merges = 0; merges < kMergesMax && !stop.stop_requested(); ++merges) {
    CounterFiles files = whole_files();
    std::vector<std::uint64_t> bytes;
    bytes.reserve(files.size());
    for (const auto& file : files) bytes.push_back(file->catalogued.bytes);
    CounterFiles inputs;
    for (const std::size_t place : files_to_merge(bytes)) inputs.push_back(files[place]);
    if (inputs.empty()) return {};
    // At least the smaller ones.
    while (inputs.size() > 2 && !has_room(inputs)) inputs.pop_back();
    if (Status merged = rewrite(inputs, rules_now(use_.time), stop); !merged) return merged;
  }
  return {};
}

CounterFiles Compactor::whole_files() const {
  CounterFiles files = use_.view.get()->files;
  std::erase_if(files, [&](const auto& file) { return use_.damage.is_damaged(*file); });
  return files;
}

Status Compactor::expire(const std::stop_token& stop) {
  const MergeRules rules = rules_now(use_.time);
  const ViewPointer now = use_.view.get();
  Status first;
  for (const sqlite::CataloguedFile& lost : now->lost)
    if (lost.day_last < rules.days_from) keep_first(first, lost_.drop(lost));
  use_.doubts.drop_before(rules.days_from);
  keep_first(first, lost_.expire(rules.days_from));
  for (const auto& file : now->files) {
    if (stop.stop_requested()) return first;
    if (file->catalogued.day_last < rules.days_from) {
      keep_first(first, replace({.inputs = {file}}));
      continue;
    }
    const PeriodRange& range = file->sealed->footer().range;
    const bool has_old_slots = range.has_slots && range.slot_first + kSlotSlack < rules.slots_from;
    const bool has_old_days = range.has_days && range.day_first + kDaySlack < rules.days_from;
    if ((!has_old_slots && !has_old_days) || use_.damage.is_damaged(*file)) continue;
    keep_first(first, rewrite({file}, rules, stop));
  }
  return first;
}

Status Compactor::shrink(const std::stop_token& stop) {
  if (use_.view.get()->disk_bytes() <= options_.disk_max) return {};
  const Slot slot = use_.time.present_slot();
  const Day oldest = day_of(slot) >= kDaysKept ? day_of(slot) - kDaysKept + 1 : 0;
  MergeRules rules = rules_now(use_.time);
  // First fewer periods of ten minutes, then fewer counters of one message, the oldest days first.
  for (Slot kept = kSlotsPerDay / 2; kept > 0; kept /= 2) {
    rules.slots_from = slot - std::min(slot, kept - 1);
    const auto is_enough = shrink_by(rules, stop);
    if (!is_enough) return is_enough.error();
    if (*is_enough || stop.stop_requested()) return {};
  }
  rules.slots_from = slot + 1;
  for (Day day = oldest; day <= day_of(slot); ++day) {
    rules.singles_from = day;
    const auto is_enough = shrink_by(rules, stop);
    if (!is_enough) return is_enough.error();
    if (*is_enough || stop.stop_requested()) return {};
  }
  if (use_.view.get()->disk_bytes() <= options_.disk_max) return {};
  return Error{ErrorCode::kLimit, "counters.disk_max is too small for these counters"};
}

Result<bool> Compactor::shrink_by(const MergeRules& rules, const std::stop_token& stop) {
  // Somewhat below the bound, or the files would be written again for each table that is sealed.
  const std::uint64_t wanted = options_.disk_max - options_.disk_max / kShrinkShare;
  bool has_shrunk = false;
  for (const auto& file : whole_files()) {
    if (stop.stop_requested()) return false;
    const PeriodRange& range = file->sealed->footer().range;
    const bool has_slots = range.has_slots && range.slot_first < rules.slots_from;
    if (!has_slots && file->singles_from >= rules.singles_from) continue;
    if (!std::exchange(has_shrunk, true)) ++shrunk_;
    if (Status rewritten = rewrite({file}, rules, stop); !rewritten) return rewritten.error();
    if (use_.view.get()->disk_bytes() <= wanted) return true;
  }
  return false;
}

Status Compactor::set_aside_corrupt(const std::stop_token& stop) {
  Status first;
  const ViewPointer now = use_.view.get();
  for (const auto& file : now->files) {
    if (!file->is_corrupt.load(std::memory_order_relaxed)) continue;
    if (stop.stop_requested()) break;
    std::vector<ShingleRange> lost;
    if (Status done = rewrite({file}, rules_now(use_.time), stop, &lost); !done && first)
      first = done;
  }
  return first;
}

Status Compactor::repair(const std::stop_token& stop) {
  const MutexLock maintaining(maintaining_);
  const ViewPointer now = use_.view.get();
  for (const auto& file : now->files) {
    if (stop.stop_requested()) return Error{ErrorCode::kTimeout, "stopped"};
    if (Status right = file->sealed->verify(); !right) {
      use_.damage.note(*file, right.error());
      file->is_corrupt = true;  // also what the disk does not give
    }
  }
  Status first = set_aside_corrupt(stop);
  for (const sqlite::CataloguedFile& lost : now->lost)
    if (Status done = lost_.set_aside(lost); !done && first) first = done;
  return first;
}

}  // namespace shingled::storage::counters
