// The half of EmbeddedCounters that its owner's thread runs: start, sealing, merging, expiry.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "storage/counters/counter_files.h"
#include "storage/counters/embedded_counters.h"
#include "storage/counters/sealed_writer.h"

namespace shingled::storage::counters {

namespace {

/// A file is written again when it has periods that are this much too old.
constexpr Slot kSlotSlack = kSlotsPerDay;
constexpr Day kDaySlack = 1;

void note(Status& first, Status status) {
  if (first && !status) first = std::move(status);
}

}  // namespace

Result<std::unique_ptr<EmbeddedCounters>> EmbeddedCounters::open(
    const EmbeddedCounterOptions& options, FileSystem& files, const Clock& clock,
    std::function<void()> wanted) {
  auto catalogue = sqlite::CounterCatalogue::open(options.directory + "/counters.db");
  if (!catalogue) return catalogue.error();
  const auto time = (*catalogue)->time();
  if (!time) return time.error();
  std::unique_ptr<EmbeddedCounters> counters(
      new EmbeddedCounters(options, files, clock, std::move(wanted), *std::move(catalogue),
                           {time->wall, time->doubted_until}));
  if (Status opened = counters->open_files(); !opened) return opened.error();
  if (Status read = counters->read_logs(); !read) return read.error();
  return counters;
}

Result<std::shared_ptr<const EmbeddedCounters::File>> EmbeddedCounters::open_file(
    const sqlite::CataloguedFile& catalogued) {
  auto sealed = SealedFile::open(files_, sealed_name(catalogued.id));
  if (!sealed) return sealed.error();
  auto file = std::make_shared<File>();
  file->catalogued = catalogued;
  file->sealed = *std::move(sealed);
  return std::shared_ptr<const File>(std::move(file));
}

Status EmbeddedCounters::open_files() {
  const auto catalogued = catalogue_->files();
  if (!catalogued) return catalogued.error();
  const auto first_log = catalogue_->first_log();
  if (!first_log) return first_log.error();
  next_log_ = std::max<std::uint64_t>(*first_log, 1);
  std::set<std::string> named;
  for (const sqlite::CataloguedFile& each : *catalogued) {
    auto file = open_file(each);
    if (!file) return file.error().in("counters");
    named.insert(sealed_name(each.id));
    next_file_ = std::max(next_file_, each.id + 1);
    change_view([&](View& view) { view.files.push_back(*std::move(file)); });
  }
  // What no row names was being made when the process ended, or has been merged or sealed.
  const auto names = files_.names();
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const auto log = log_number(name);
    const bool is_needed = named.contains(name) || (log && *log >= *first_log);
    if (is_counter_file(name) && !is_needed)
      if (Status removed = files_.remove(name); !removed) return removed;
  }
  return {};
}

Status EmbeddedCounters::read_logs() {
  const auto names = files_.names();
  if (!names) return names.error();
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : *names)
    if (const auto number = log_number(name)) numbers.push_back(*number);
  std::ranges::sort(numbers);
  for (const std::uint64_t number : numbers) {
    next_log_ = number + 1;
    std::shared_ptr<Live> table;
    const ViewPointer now = view();
    const auto content =
        read_log(files_, log_name(number), [&](Slot slot, const Addition& addition) -> Status {
          if (!table) table = std::make_shared<Live>(slot, number);
          apply(*now, table->table, addition);
          return {};
        });
    if (!content) return content.error();
    log_bytes_lost_ += content->bytes_lost;
    if (table)
      change_view([&](View& view) { view.frozen.push_back(table); });
    else if (Status removed = files_.remove(log_name(number)); !removed)
      return removed;
  }
  return {};
}

MergeRules EmbeddedCounters::rules_now() {
  const Slot slot = present_slot();
  MergeRules rules;
  if (!time_.lock()->may_expire()) return rules;
  rules.slots_from = slot >= kSlotsPerDay ? slot - kSlotsPerDay + 1 : 0;
  rules.days_from = day_of(slot) >= kDaysKept ? day_of(slot) - kDaysKept + 1 : 0;
  return rules;
}

Status EmbeddedCounters::maintain(const std::stop_token& stop) {
  Status first;
  const Slot slot = present_slot();
  const ViewPointer before = view();
  if (before->live && before->live->table.slot() != slot && before->live->table.size() > 0)
    note(first, begin_table(before->live.get(), slot));
  const ViewPointer now = view();
  for (const auto& table : now->frozen) {
    if (stop.stop_requested()) return first;
    // In order: the number of the first log that counts says that all before it are sealed.
    if (Status sealed = seal(table); !sealed) {
      note(first, std::move(sealed));
      break;
    }
  }
  note(first, expire(stop));
  note(first, merge_some(stop));
  note(first, shrink(stop));
  if (slot != last_maintained_) {
    const Timekeeper::State time = time_.lock()->state();
    note(first, catalogue_->set_time({time.wall, time.doubted_until}));
    last_maintained_ = slot;
  }
  return first;
}

Status EmbeddedCounters::seal(const std::shared_ptr<Live>& table) {
  std::shared_ptr<const File> made;
  if (table->table.size() > 0) {
    PeriodRange range;
    range.include({Period::Unit::kSlot, table->table.slot()});
    const std::int64_t id = next_file_++;
    auto writer = SealedWriter::begin(files_, sealed_name(id), table->table.size(), range);
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
    auto file = open_file({id, footer->rows, footer->file_bytes()});
    if (!file) return file.error();
    made = *std::move(file);
  }
  return replace({}, made, table);
}

Status EmbeddedCounters::replace(const std::vector<std::shared_ptr<const File>>& inputs,
                                 const std::shared_ptr<const File>& made,
                                 const std::shared_ptr<Live>& sealed) {
  std::vector<std::int64_t> removed;
  removed.reserve(inputs.size());
  for (const auto& input : inputs) removed.push_back(input->catalogued.id);
  sqlite::CounterCatalogue::Change change;
  change.removed = removed;
  if (made) change.added = std::span(&made->catalogued, 1);
  if (sealed) change.first_log = sealed->number + 1;
  if (Status changed = catalogue_->change(change); !changed) {
    if (made) static_cast<void>(files_.remove(sealed_name(made->catalogued.id)));
    return changed;
  }
  change_view([&](View& view) {
    std::erase_if(view.files, [&](const auto& file) {
      return std::ranges::find(inputs, file) != inputs.end();
    });
    std::erase(view.frozen, sealed);
    if (made) view.files.push_back(made);
  });
  // Readers may still have them open. What cannot be removed now goes at the next start.
  for (const std::int64_t id : removed) static_cast<void>(files_.remove(sealed_name(id)));
  if (sealed) static_cast<void>(files_.remove(log_name(sealed->number)));
  return {};
}

Status EmbeddedCounters::rewrite(const std::vector<std::shared_ptr<const File>>& inputs,
                                 const MergeRules& rules, const std::stop_token& stop) {
  std::vector<const SealedFile*> sealed;
  sealed.reserve(inputs.size());
  for (const auto& input : inputs) sealed.push_back(input->sealed.get());
  const std::int64_t id = next_file_++;
  const auto footer = merge_files(files_, sealed, sealed_name(id), rules, stop);
  if (!footer) return footer.error();
  if (footer->rows == 0) {
    if (Status removed = files_.remove(sealed_name(id)); !removed) return removed;
    return replace(inputs, nullptr, nullptr);
  }
  auto made = open_file({id, footer->rows, footer->file_bytes()});
  if (!made) return made.error();
  return replace(inputs, *made, nullptr);
}

Status EmbeddedCounters::merge_some(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const ViewPointer now = view();
    std::vector<std::uint64_t> bytes;
    for (const auto& file : now->files) bytes.push_back(file->catalogued.bytes);
    std::vector<std::shared_ptr<const File>> inputs;
    for (const std::size_t place : files_to_merge(bytes)) inputs.push_back(now->files[place]);
    if (inputs.empty()) return {};
    if (Status merged = rewrite(inputs, rules_now(), stop); !merged) return merged;
  }
  return {};
}

Status EmbeddedCounters::expire(const std::stop_token& stop) {
  const MergeRules rules = rules_now();
  const ViewPointer now = view();
  for (const auto& file : now->files) {
    if (stop.stop_requested()) return {};
    const PeriodRange& range = file->sealed->footer().range;
    const bool has_old_slots = range.has_slots && range.slot_first + kSlotSlack < rules.slots_from;
    const bool has_old_days = range.has_days && range.day_first + kDaySlack < rules.days_from;
    if (!has_old_slots && !has_old_days) continue;
    if (Status rewritten = rewrite({file}, rules, stop); !rewritten) return rewritten;
  }
  return {};
}

Status EmbeddedCounters::shrink(const std::stop_token& stop) {
  const auto is_too_large = [&] { return status().disk_bytes > options_.disk_max; };
  const Slot slot = present_slot();
  const Day oldest = day_of(slot) >= kDaysKept ? day_of(slot) - kDaysKept + 1 : 0;
  // First fewer periods of ten minutes, then fewer counters of one message, the oldest days first.
  for (Slot kept = kSlotsPerDay; is_too_large() && !stop.stop_requested();) {
    MergeRules rules = rules_now();
    if (kept > 1) {
      kept /= 2;
      rules.slots_from = slot - std::min(slot, kept) + 1;
    } else {
      rules.slots_from = slot + 1;
      rules.singles_from = oldest + ++days_shrunk_;
      if (rules.singles_from > day_of(slot)) {
        days_shrunk_ = 0;
        return Error{ErrorCode::kLimit, "counters.disk_max is too small for these counters"};
      }
    }
    ++shrunk_;
    const ViewPointer now = view();
    for (const auto& file : now->files)
      if (Status rewritten = rewrite({file}, rules, stop); !rewritten) return rewritten;
  }
  days_shrunk_ = 0;
  return {};
}

}  // namespace shingled::storage::counters
