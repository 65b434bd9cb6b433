// The part of EmbeddedCounters that takes up what was there before.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "storage/counters/counter_files.h"
#include "storage/counters/counter_key.h"
#include "storage/counters/embedded_counters.h"

namespace shingled::storage::counters {

Result<std::unique_ptr<EmbeddedCounters>> EmbeddedCounters::open(
    const EmbeddedCounterOptions& options, FileSystem& files, const Clock& clock,
    std::function<void()> wanted, std::optional<std::uint64_t> mark) {
  auto catalogue = sqlite::CounterCatalogue::open(options.directory + "/counters.db");
  if (!catalogue) return catalogue.error();
  if (Status right = check_mark(**catalogue, options.directory, mark); !right) return right.error();
  const auto time = (*catalogue)->time();
  if (!time) return time.error();
  std::unique_ptr<EmbeddedCounters> counters(
      new EmbeddedCounters(options, files, clock, std::move(wanted), *std::move(catalogue),
                           {time->wall, time->doubted_until}));
  if (Status opened = counters->open_files(); !opened) return opened.error();
  if (Status read = counters->read_forgotten(); !read) return read.error();
  if (Status read = counters->read_losses(); !read) return read.error();
  if (Status read = counters->read_logs(); !read) return read.error();
  return counters;
}

Status EmbeddedCounters::check_mark(sqlite::CounterCatalogue& catalogue,
                                    const std::string& directory,
                                    std::optional<std::uint64_t> mark) {
  if (!mark) return {};
  const auto kept = catalogue.key_mark();
  if (!kept) return kept.error();
  if (!*kept) return catalogue.set_key_mark(*mark);
  if (**kept == *mark) return {};
  return Error{ErrorCode::kInvalid, other_key_error(directory, **kept, *mark)};
}

Result<std::shared_ptr<const EmbeddedCounters::File>> EmbeddedCounters::open_file(
    const sqlite::CataloguedFile& catalogued) {
  auto sealed = SealedFile::open(files_, sealed_name(catalogued.id));
  if (!sealed) return sealed.error();
  auto file = std::make_shared<File>();
  file->catalogued = catalogued;
  file->sealed = *std::move(sealed);
  const LostPeriods periods = LostPeriods::of(file->sealed->footer().range);
  file->catalogued.slot_first = periods.slot_first;
  file->catalogued.slot_last = periods.slot_last;
  file->singles_from = catalogued.day_first;
  return std::shared_ptr<const File>(std::move(file));
}

Result<std::shared_ptr<const EmbeddedCounters::File>> EmbeddedCounters::open_made(
    std::uint64_t number, const SealedFooter& footer) {
  const PeriodRange& range = footer.range;
  Day first = std::numeric_limits<Day>::max();
  Day last = 0;
  const auto include = [&](Day from, Day to) {
    first = std::min(first, from);
    last = std::max(last, to);
  };
  if (range.has_slots) include(day_of(range.slot_first), day_of(range.slot_last));
  if (range.has_days) include(range.day_first, range.day_last);
  const LostPeriods periods = LostPeriods::of(range);
  return open_file({static_cast<std::int64_t>(number), footer.rows, footer.file_bytes(), first,
                    last, periods.slot_first, periods.slot_last});
}

Status EmbeddedCounters::open_files() {
  auto catalogue = catalogue_.lock();
  const auto catalogued = catalogue->file->files();
  if (!catalogued) return catalogued.error();
  const auto first_log = catalogue->file->first_log();
  if (!first_log) return first_log.error();
  catalogue->first_log = *first_log;
  next_number_ = std::max<std::uint64_t>(*first_log, 1);
  std::set<std::string> named;
  for (const sqlite::CataloguedFile& each : *catalogued) {
    named.insert(sealed_name(each.id));
    next_number_ = std::max(next_number_.load(), static_cast<std::uint64_t>(each.id) + 1);
    auto file = open_file(each);
    if (!file) lost_.push_back(file.error().message);
    change_view([&](View& view) {
      if (file)
        view.files.push_back(*std::move(file));
      else
        view.lost.push_back(each);
    });
  }
  // What no row names was being made when the process ended, or has been merged or sealed.
  const auto names = files_.names();
  if (!names) return names.error();
  std::vector<std::string> leftovers;
  for (const std::string& name : *names) {
    const auto log = log_number(name);
    const bool is_needed = named.contains(name) || (log && *log >= *first_log);
    if (is_counter_file(name) && !is_needed) leftovers.push_back(name);
  }
  if (Status right = begin_catalogue(*catalogue->file, leftovers); !right) return right;
  remove_leftovers(*catalogue, leftovers);
  return {};
}

Status EmbeddedCounters::begin_catalogue(sqlite::CounterCatalogue& catalogue,
                                         const std::vector<std::string>& unnamed) {
  const auto used = catalogue.is_used();
  if (!used) return used.error();
  if (*used) return {};
  const auto sealed = std::ranges::count_if(unnamed, is_sealed_file);
  if (sealed > 0)
    return Error{ErrorCode::kCorrupt,
                 fmt::format("{}/counters.db is new, but there are files of counters ({}), which "
                             "nobody can count without the one before; allowed: that one, or "
                             "none of these files",
                             options_.directory, sealed)};
  // Now a sealed file that it does not name is one that was being made.
  static_cast<void>(catalogue.change({}));
  return {};
}

void EmbeddedCounters::remove_leftovers(Catalogue& catalogue,
                                        const std::vector<std::string>& leftovers) {
  if (leftovers.empty()) return;
  // The process that ended may have written the change that they were left by, but not synced it.
  // If it is lost in a power cut, they count again. A new change syncs it, too.
  if (!catalogue.file->change({})) return;
  // What cannot be removed now is removed at another start.
  for (const std::string& name : leftovers) static_cast<void>(files_.remove(name));
}

Status EmbeddedCounters::read_forgotten() {
  const auto rows = catalogue_.lock()->file->forgotten();
  if (!rows) return rows.error();
  if (rows->empty()) return {};
  auto forgotten = std::make_shared<ForgottenCounters>();
  for (const sqlite::ForgottenRow& row : *rows) {
    const auto last = static_cast<std::uint64_t>(row.last);
    forgotten->put(CounterKey::of(row.shingle, row.tag), last);
    next_number_ = std::max(next_number_.load(), last + 1);
  }
  change_view([&](View& view) { view.forgotten = std::move(forgotten); });
  return {};
}

Status EmbeddedCounters::read_losses() {
  auto catalogue = catalogue_.lock();
  auto gaps = catalogue->file->gaps();
  if (!gaps) return gaps.error();
  const auto doubts = catalogue->file->doubts();
  if (!doubts) return doubts.error();
  doubts_.take(*doubts);
  if (gaps->empty()) return {};
  for (const sqlite::GapRow& gap : *gaps)
    next_number_ = std::max(next_number_.load(), static_cast<std::uint64_t>(gap.id) + 1);
  change_view([&](View& view) { view.gaps = *std::move(gaps); });
  return {};
}

Status EmbeddedCounters::read_logs() {
  const auto names = files_.names();
  if (!names) return names.error();
  const std::uint64_t first = catalogue_.lock()->first_log;
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : *names)
    if (const auto number = log_number(name); number && *number >= first)
      numbers.push_back(*number);
  std::ranges::sort(numbers);
  for (const std::uint64_t number : numbers)
    if (Status read = read_one_log(number); !read) return read;
  return {};
}

Status EmbeddedCounters::read_one_log(std::uint64_t number) {
  next_number_ = std::max(next_number_.load(), number + 1);
  const std::string name = log_name(number);
  std::shared_ptr<Live> table;
  const ViewPointer now = view();
  const auto content = read_log(files_, name, [&](Slot slot, const Addition& addition) -> Status {
    if (!table) table = std::make_shared<Live>(slot, number);
    apply(*now, *table, addition);
    return {};
  });
  if (content) {
    log_bytes_lost_ += content->bytes_lost;
  } else {
    ++logs_lost_;
    lost_.push_back(content.error().message);
  }
  if (!table) {
    drop_log(number, !content);
    return {};
  }
  // What could be read is in memory alone until it is sealed, so the log keeps its name till then.
  table->is_log_damaged = !content;
  change_view([&](View& view) { view.frozen.push_back(table); });
  return {};
}

}  // namespace shingled::storage::counters
