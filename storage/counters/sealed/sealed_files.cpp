#include "storage/counters/sealed/sealed_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

#include "storage/counters/counter_key.h"
#include "storage/counters/sealed/unique_doubts.h"

namespace shingled::storage::counters {

namespace {

constexpr std::chrono::minutes kReadAgainAfter{10};

Status check_mark(sqlite::CounterCatalogue& catalogue, const std::string& directory,
                  std::optional<std::uint64_t> mark) {
  if (!mark) return {};
  const auto kept = catalogue.key_mark();
  if (!kept) return kept.error();
  if (!*kept) return catalogue.set_key_mark(*mark);
  if (**kept == *mark) return {};
  return Error{ErrorCode::kInvalid, other_key_error(directory, **kept, *mark)};
}

}  // namespace

void DamageNotes::note(const CounterFile& file, const Error& error) const {
  if (error.code != ErrorCode::kCorrupt) {
    file.unreadable_until.store(clock_.now() + kReadAgainAfter, std::memory_order_relaxed);
    return;
  }
  if (file.is_corrupt.exchange(true)) return;
  if (wanted_) wanted_();
}

bool DamageNotes::is_damaged(const CounterFile& file) const {
  return file.is_corrupt.load(std::memory_order_relaxed) ||
         clock_.now() < file.unreadable_until.load(std::memory_order_relaxed);
}

bool DamageNotes::find(const CounterFiles& files) const {
  bool any = false;
  for (const auto& file : files)
    if (Status right = file->sealed->verify(); !right) {
      note(*file, right.error());
      any = true;
    }
  return any;
}

Result<std::unique_ptr<SealedFiles>> SealedFiles::open(const std::string& directory,
                                                       FileSystem& files,
                                                       std::optional<std::uint64_t> mark) {
  auto catalogue = sqlite::CounterCatalogue::open(directory + "/counters.db");
  if (!catalogue) return catalogue.error();
  if (Status right = check_mark(**catalogue, directory, mark); !right) return right.error();
  return std::unique_ptr<SealedFiles>(new SealedFiles(directory, files, *std::move(catalogue)));
}

SealedFiles::SealedFiles(std::string directory, FileSystem& files,
                         std::unique_ptr<sqlite::CounterCatalogue> catalogue)
    : directory_(std::move(directory)), files_(files) {
  catalogue_.lock()->file = std::move(catalogue);
}

Result<Timekeeper::State> SealedFiles::time() {
  const auto time = catalogue()->file->time();
  if (!time) return time.error();
  return Timekeeper::State{time->wall, time->doubted_until};
}

Result<SealedFiles::Found> SealedFiles::take_up(FileNumbers& numbers) {
  auto catalogue = this->catalogue();
  const auto catalogued = catalogue->file->files();
  if (!catalogued) return catalogued.error();
  const auto first_log = catalogue->file->first_log();
  if (!first_log) return first_log.error();
  catalogue->first_log = *first_log;
  numbers.begin_at(*first_log);
  Found found;
  for (const sqlite::CataloguedFile& each : *catalogued) {
    numbers.begin_at(static_cast<std::uint64_t>(each.id) + 1);
    auto file = open_file(each);
    if (file) {
      found.files.push_back(*std::move(file));
    } else {
      found.errors.push_back(file.error().message);
      found.lost.push_back(each);
    }
  }
  const auto names = files_.names();
  if (!names) return names.error();
  if (Status done = remove_leftovers(*catalogue, *names, found.files, found.lost); !done)
    return done.error();
  auto forgotten = catalogue->file->forgotten();
  if (!forgotten) return forgotten.error();
  found.forgotten = *std::move(forgotten);
  for (const sqlite::ForgottenRow& row : found.forgotten)
    numbers.begin_at(static_cast<std::uint64_t>(row.last) + 1);
  auto gaps = catalogue->file->gaps();
  if (!gaps) return gaps.error();
  found.gaps = *std::move(gaps);
  for (const sqlite::GapRow& gap : found.gaps)
    numbers.begin_at(static_cast<std::uint64_t>(gap.id) + 1);
  auto doubts = catalogue->file->doubts();
  if (!doubts) return doubts.error();
  found.doubts = *std::move(doubts);
  for (const std::string& name : *names)
    if (const auto number = log_number(name); number && *number >= *first_log)
      found.logs.push_back(*number);
  std::ranges::sort(found.logs);
  return found;
}

Status SealedFiles::remove_leftovers(Catalogue& catalogue, const std::vector<std::string>& names,
                                     const CounterFiles& files,
                                     const std::vector<sqlite::CataloguedFile>& lost) {
  std::set<std::string> named;
  for (const auto& file : files) named.insert(sealed_name(file->catalogued.id));
  for (const sqlite::CataloguedFile& file : lost) named.insert(sealed_name(file.id));
  // What no row names was being made when the process ended, or has been merged or sealed.
  std::vector<std::string> leftovers;
  for (const std::string& name : names) {
    const auto log = log_number(name);
    const bool is_needed = named.contains(name) || (log && *log >= catalogue.first_log);
    if (is_counter_file(name) && !is_needed) leftovers.push_back(name);
  }
  if (Status right = begin_catalogue(*catalogue.file, leftovers); !right) return right;
  if (leftovers.empty()) return {};
  // The process that ended may have written the change that they were left by, but not synced it.
  // If it is lost in a power cut, they count again. A new change syncs it, too.
  if (!catalogue.file->change({})) return {};
  remove_all(leftovers);
  return {};
}

Status SealedFiles::begin_catalogue(sqlite::CounterCatalogue& catalogue,
                                    const std::vector<std::string>& unnamed) const {
  const auto used = catalogue.is_used();
  if (!used) return used.error();
  if (*used) return {};
  const auto sealed = std::ranges::count_if(unnamed, is_sealed_file);
  if (sealed > 0)
    return Error{ErrorCode::kCorrupt,
                 fmt::format("{}/counters.db is new, but there are files of counters ({}), which "
                             "nobody can count without the one before; allowed: that one, or "
                             "none of these files",
                             directory_, sealed)};
  // Now a sealed file that it does not name is one that was being made.
  static_cast<void>(catalogue.change({}));
  return {};
}

Status SealedFiles::settle(Catalogue& catalogue) {
  if (catalogue.unsure.empty()) return {};
  if (Status changed = catalogue.file->change({}); !changed) return changed;
  remove_all(catalogue.unsure);
  return {};
}

SealedFiles::Opened SealedFiles::open_file(const sqlite::CataloguedFile& catalogued) {
  auto sealed = SealedFile::open(files_, sealed_name(catalogued.id));
  if (!sealed) return sealed.error();
  auto file = std::make_shared<CounterFile>();
  file->catalogued = catalogued;
  file->sealed = *std::move(sealed);
  const LostPeriods periods = LostPeriods::of(file->sealed->footer().range);
  file->catalogued.slot_first = periods.slot_first;
  file->catalogued.slot_last = periods.slot_last;
  file->singles_from = catalogued.day_first;
  return std::shared_ptr<const CounterFile>(std::move(file));
}

SealedFiles::Opened SealedFiles::open_made(std::uint64_t number, const SealedFooter& footer) {
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

void SealedFiles::move_aside(std::int64_t id) {
  static_cast<void>(files_.rename(sealed_name(id), damaged_name(id)));
}

void SealedFiles::remove_all(std::vector<std::string>& names) {
  for (const std::string& name : names) static_cast<void>(files_.remove(name));
  names.clear();
}

}  // namespace shingled::storage::counters
