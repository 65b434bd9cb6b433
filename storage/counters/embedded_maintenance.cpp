// The part of EmbeddedCounters that its owner's thread runs: sealing, merging, expiry.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "storage/counters/counter_files.h"
#include "storage/counters/embedded_counters.h"
#include "storage/counters/sealed_writer.h"

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

/// What cannot be removed is removed at the next start.
void remove_all(FileSystem& files, std::vector<std::string>& names) {
  for (const std::string& name : names) static_cast<void>(files.remove(name));
  names.clear();
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

MergeRules EmbeddedCounters::rules_now() {
  const Slot slot = present_slot();
  MergeRules rules;
  if (!time_.lock()->may_expire()) return rules;
  rules.slots_from = slot >= kSlotsPerDay ? slot - kSlotsPerDay + 1 : 0;
  rules.days_from = day_of(slot) >= kDaysKept ? day_of(slot) - kDaysKept + 1 : 0;
  return rules;
}

Status EmbeddedCounters::maintain(const std::stop_token& stop) {
  const MutexLock maintaining(maintaining_);
  Status first;
  const Slot slot = present_slot();
  if (const std::shared_ptr<Live> live = view()->live;
      live && live->table.slot() != slot && live->table.size() > 0)
    keep_first(first, begin_table(live.get(), slot));
  keep_first(first, seal_frozen(stop));
  keep_first(first, set_aside_corrupt(stop));
  keep_first(first, expire(stop));
  keep_first(first, merge_some(stop));
  keep_first(first, shrink(stop));
  if (slot != last_maintained_) {
    const Timekeeper::State time = time_.lock()->state();
    keep_first(first, catalogue_.lock()->file->set_time({time.wall, time.doubted_until}));
    last_maintained_ = slot;
  }
  free_retired();
  return first;
}

Status EmbeddedCounters::seal_frozen(const std::stop_token& stop) {
  const MutexLock sealing(sealing_);
  Status sealed = seal_all(view()->frozen, stop);
  free_retired();
  return sealed;
}

Status EmbeddedCounters::seal_all(const std::vector<std::shared_ptr<Live>>& tables,
                                  const std::stop_token& stop) {
  // In order: the number of the first log that counts says that all before it are sealed.
  for (const auto& table : tables) {
    if (stop.stop_requested()) return {};
    if (Status sealed = seal(table); !sealed) return sealed;
  }
  return {};
}

Status EmbeddedCounters::seal(const std::shared_ptr<Live>& table) {
  std::shared_ptr<const File> made;
  if (table->table.size() > 0) {
    PeriodRange range;
    range.include({Period::Unit::kSlot, table->table.slot()});
    auto writer = SealedWriter::begin(files_, sealed_name(file_id(table->number)),
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
    auto file = open_made(table->number, *footer);
    if (!file) return file.error();
    made = *std::move(file);
  }
  return replace({}, made, table);
}

Status EmbeddedCounters::replace(const std::vector<std::shared_ptr<const File>>& inputs,
                                 const std::shared_ptr<const File>& made,
                                 const std::shared_ptr<Live>& sealed,
                                 const std::vector<sqlite::GapRow>& gaps) {
  std::vector<std::int64_t> removed;
  removed.reserve(inputs.size());
  for (const auto& input : inputs) removed.push_back(input->catalogued.id);
  sqlite::CounterCatalogue::Change change;
  change.removed = removed;
  if (made) change.added = std::span(&made->catalogued, 1);
  if (sealed) change.first_log = sealed->number + 1;
  change.gaps = gaps;
  // Before the log goes that would bring them again.
  const std::vector<sqlite::DoubtRow> doubts = doubts_.unsaved();
  change.doubts = doubts;
  auto catalogue = catalogue_.lock();
  if (Status changed = catalogue->file->change(change); !changed) {
    // That of a table is made again under its name.
    if (made && !sealed) catalogue->unsure.push_back(sealed_name(made->catalogued.id));
    return changed;
  }
  doubts_.note_saved(doubts);
  remove_all(files_, catalogue->unsure);
  if (sealed) catalogue->first_log = sealed->number + 1;
  // Only who has the catalogue changes files and what was forgotten. That may be much, so it is
  // looked through before anybody has to wait for the view.
  const ViewPointer before = view();
  std::vector<std::shared_ptr<const File>> files = before->files;
  std::erase_if(files,
                [&](const auto& file) { return std::ranges::find(inputs, file) != inputs.end(); });
  if (made) files.push_back(made);
  std::uint64_t first_left = catalogue->first_log;
  for (const auto& file : files) first_left = std::min(first_left, file->number());
  for (const auto& file : before->lost)
    first_left = std::min(first_left, static_cast<std::uint64_t>(file.id));
  std::vector<sqlite::GapRow> all_gaps = before->gaps;
  all_gaps.insert(all_gaps.end(), gaps.begin(), gaps.end());
  for (const auto& gap : all_gaps)
    first_left = std::min(first_left, static_cast<std::uint64_t>(gap.id));
  const auto forgotten = left_from(before->forgotten, first_left);
  change_view([&](View& view) {
    view.files = std::move(files);
    std::erase(view.frozen, sealed);
    view.gaps = std::move(all_gaps);
    view.forgotten = forgotten;
  });
  {
    auto retired = retired_.lock();
    retired->insert(retired->end(), inputs.begin(), inputs.end());
    if (sealed) retired->push_back(sealed);
  }
  // Readers may still have them open. What cannot be removed now goes at the next start.
  for (const std::int64_t id : removed) {
    if (gaps.empty())
      static_cast<void>(files_.remove(sealed_name(id)));
    else
      move_aside(id);
  }
  if (sealed) drop_log(sealed->number, sealed->is_log_damaged);
  return {};
}

void EmbeddedCounters::free_retired() {
  std::vector<std::shared_ptr<const void>> unused;
  auto retired = retired_.lock();
  // Nobody can begin to use what only this list has.
  const auto first = std::partition(retired->begin(), retired->end(),
                                    [](const auto& each) { return each.use_count() > 1; });
  std::move(first, retired->end(), std::back_inserter(unused));
  retired->erase(first, retired->end());
}

void EmbeddedCounters::drop_log(std::uint64_t number, bool is_damaged) {
  const std::string name = log_name(number);
  // A damaged one is kept for a person who wants to look at it; nobody reads it under that name.
  static_cast<void>(is_damaged ? files_.rename(name, name + ".damaged") : files_.remove(name));
}

Status EmbeddedCounters::rewrite(const std::vector<std::shared_ptr<const File>>& inputs,
                                 const MergeRules& rules, const std::stop_token& stop,
                                 std::vector<ShingleRange>* lost) {
  std::vector<const SealedFile*> sealed;
  sealed.reserve(inputs.size());
  for (const auto& input : inputs) sealed.push_back(input->sealed.get());
  std::uint64_t number = 0;
  std::shared_ptr<const ForgottenCounters> forgotten;
  {
    auto catalogue = catalogue_.lock();
    if (Status settled = settle(*catalogue); !settled) return settled;
    // What is forgotten from now on has this number, too.
    number = next_number_++;
    forgotten = view()->forgotten;
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
      files_, sealed, name, rules, stop, leaves_out, [&] { return seal_frozen(stop); }, lost);
  if (!footer) {
    // What is damaged is set aside next, and is not an error of this work.
    if (footer.error().code != ErrorCode::kTimeout && find_damage(inputs) &&
        footer.error().code == ErrorCode::kCorrupt)
      return {};
    return footer.error();
  }
  std::vector<sqlite::GapRow> gaps;
  if (lost != nullptr) gaps = gaps_of(inputs.front()->catalogued, *lost);
  if (footer->rows == 0) {
    if (Status removed = files_.remove(name); !removed) return removed;
    return replace(inputs, nullptr, nullptr, gaps);
  }
  auto made = open_made(number, *footer);
  if (!made) return made.error();
  Day singles_from = inputs.front()->singles_from;
  for (const auto& input : inputs)
    singles_from = std::min(singles_from, input->singles_from.load());
  (*made)->singles_from = std::max(singles_from, rules.singles_from);
  return replace(inputs, *made, nullptr, gaps);
}

Status EmbeddedCounters::has_room(const std::vector<std::shared_ptr<const File>>& inputs) {
  // Tried on a disk with less, it would fill that until it fails, and again a few seconds later:
  // logs could not be written meanwhile, nor what others have on that disk.
  const auto free = files_.free_bytes();
  if (!free) return free.error();
  std::uint64_t bytes = 0;
  for (const auto& input : inputs) bytes += input->catalogued.bytes;
  const std::uint64_t wanted = bytes + std::min(bytes, options_.log_max);
  if (*free >= wanted) return {};
  return Error{ErrorCode::kUnavailable,
               fmt::format("to merge files needs {} kB on the disk of {}, which has {} kB free",
                           wanted / kKilobyte, options_.directory, *free / kKilobyte)};
}

Status EmbeddedCounters::merge_some(const std::stop_token& stop) {
  for (int merges = 0; merges < kMergesMax && !stop.stop_requested(); ++merges) {
    std::vector<std::shared_ptr<const File>> files = whole_files();
    std::vector<std::uint64_t> bytes;
    bytes.reserve(files.size());
    for (const auto& file : files) bytes.push_back(file->catalogued.bytes);
    std::vector<std::shared_ptr<const File>> inputs;
    for (const std::size_t place : files_to_merge(bytes)) inputs.push_back(files[place]);
    if (inputs.empty()) return {};
    // At least the smaller ones.
    while (inputs.size() > 2 && !has_room(inputs)) inputs.pop_back();
    if (Status merged = rewrite(inputs, rules_now(), stop); !merged) return merged;
  }
  return {};
}

std::vector<std::shared_ptr<const EmbeddedCounters::File>> EmbeddedCounters::whole_files() const {
  std::vector<std::shared_ptr<const File>> files = view()->files;
  std::erase_if(files, [&](const auto& file) { return is_damaged(*file); });
  return files;
}

Status EmbeddedCounters::expire(const std::stop_token& stop) {
  const MergeRules rules = rules_now();
  const ViewPointer now = view();
  Status first;
  for (const sqlite::CataloguedFile& lost : now->lost)
    if (lost.day_last < rules.days_from) keep_first(first, drop_lost(lost));
  keep_first(first, expire_losses(rules.days_from));
  for (const auto& file : now->files) {
    if (stop.stop_requested()) return first;
    if (file->catalogued.day_last < rules.days_from) {
      keep_first(first, replace({file}, nullptr, nullptr));
      continue;
    }
    const PeriodRange& range = file->sealed->footer().range;
    const bool has_old_slots = range.has_slots && range.slot_first + kSlotSlack < rules.slots_from;
    const bool has_old_days = range.has_days && range.day_first + kDaySlack < rules.days_from;
    if ((!has_old_slots && !has_old_days) || is_damaged(*file)) continue;
    keep_first(first, rewrite({file}, rules, stop));
  }
  return first;
}

Status EmbeddedCounters::settle(Catalogue& catalogue) {
  if (catalogue.unsure.empty()) return {};
  if (Status changed = catalogue.file->change({}); !changed) return changed;
  remove_all(files_, catalogue.unsure);
  return {};
}

Status EmbeddedCounters::drop_lost(const sqlite::CataloguedFile& lost) {
  auto catalogue = catalogue_.lock();
  sqlite::CounterCatalogue::Change change;
  change.removed = std::span(&lost.id, 1);
  change.lost_from = lost.day_last + 1;
  if (Status changed = catalogue->file->change(change); !changed) return changed;
  change_view([&](View& view) { std::erase(view.lost, lost); });
  static_cast<void>(files_.remove(sealed_name(lost.id)));
  return {};
}

Status EmbeddedCounters::shrink(const std::stop_token& stop) {
  if (disk_bytes() <= options_.disk_max) return {};
  const Slot slot = present_slot();
  const Day oldest = day_of(slot) >= kDaysKept ? day_of(slot) - kDaysKept + 1 : 0;
  MergeRules rules = rules_now();
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
  if (disk_bytes() <= options_.disk_max) return {};
  return Error{ErrorCode::kLimit, "counters.disk_max is too small for these counters"};
}

Result<bool> EmbeddedCounters::shrink_by(const MergeRules& rules, const std::stop_token& stop) {
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
    if (disk_bytes() <= wanted) return true;
  }
  return false;
}

std::uint64_t EmbeddedCounters::disk_bytes() const {
  const ViewPointer now = view();
  std::uint64_t bytes = 0;
  for (const auto& file : now->files) bytes += file->catalogued.bytes;
  return bytes;
}

}  // namespace shingled::storage::counters
