// The part of EmbeddedCounters about files that are damaged or gone.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include "storage/counters/counter_files.h"
#include "storage/counters/embedded_counters.h"

namespace shingled::storage::counters {

namespace {

constexpr std::chrono::minutes kReadAgainAfter{10};

/// Shingles are hashes, so a part of their range is that part of the counters.
double share_of(const sqlite::GapRow& gap) {
  return (static_cast<double>(gap.shingle_last - gap.shingle_first) + 1) * std::exp2(-64);
}

}  // namespace

void EmbeddedCounters::note_damage(const File& file, const Error& error) {
  if (error.code != ErrorCode::kCorrupt) {
    file.unreadable_until.store(clock_.now() + kReadAgainAfter, std::memory_order_relaxed);
    return;
  }
  if (file.is_corrupt.exchange(true)) return;
  if (wanted_) wanted_();
}

bool EmbeddedCounters::is_damaged(const File& file) const {
  return file.is_corrupt.load(std::memory_order_relaxed) ||
         clock_.now() < file.unreadable_until.load(std::memory_order_relaxed);
}

bool EmbeddedCounters::find_damage(const std::vector<std::shared_ptr<const File>>& inputs) {
  bool any = false;
  for (const auto& input : inputs)
    if (Status right = input->sealed->verify(); !right) {
      note_damage(*input, right.error());
      any = true;
    }
  return any;
}

Status EmbeddedCounters::set_aside_corrupt(const std::stop_token& stop) {
  Status first;
  const ViewPointer now = view();
  for (const auto& file : now->files) {
    if (!file->is_corrupt.load(std::memory_order_relaxed)) continue;
    if (stop.stop_requested()) break;
    std::vector<ShingleRange> lost;
    if (Status done = rewrite({file}, rules_now(), stop, &lost); !done && first) first = done;
  }
  return first;
}

Status EmbeddedCounters::set_aside_lost(const sqlite::CataloguedFile& lost) {
  // It may only have been out of reach when the daemon started.
  if (auto file = open_file(lost)) {
    change_view([&](View& view) {
      std::erase(view.lost, lost);
      const auto behind = std::ranges::find_if(
          view.files, [&](const auto& one) { return one->catalogued.id > lost.id; });
      view.files.insert(behind, *std::move(file));
    });
    return {};
  }
  const std::vector<sqlite::GapRow> gaps = gaps_of(lost, {ShingleRange{}});
  auto catalogue = catalogue_.lock();
  sqlite::CounterCatalogue::Change change;
  change.removed = std::span(&lost.id, 1);
  change.gaps = gaps;
  if (Status changed = catalogue->file->change(change); !changed) return changed;
  change_view([&](View& view) {
    std::erase(view.lost, lost);
    view.gaps.insert(view.gaps.end(), gaps.begin(), gaps.end());
  });
  move_aside(lost.id);
  return {};
}

void EmbeddedCounters::move_aside(std::int64_t id) {
  // Kept for a person who wants to look at it; nobody reads it under that name.
  static_cast<void>(files_.rename(sealed_name(id), damaged_name(id)));
}

Status EmbeddedCounters::expire_losses(Day days_from) {
  doubts_.drop_before(days_from);
  const auto is_over = [&](const sqlite::GapRow& gap) { return gap.day_last < days_from; };
  const ViewPointer now = view();
  if (std::ranges::none_of(now->gaps, is_over)) return {};
  auto catalogue = catalogue_.lock();
  sqlite::CounterCatalogue::Change change;
  change.lost_from = days_from;
  if (Status changed = catalogue->file->change(change); !changed) return changed;
  std::set<std::int64_t> gone;
  change_view([&](View& view) {
    for (const sqlite::GapRow& gap : view.gaps)
      if (is_over(gap)) gone.insert(gap.id);
    std::erase_if(view.gaps, is_over);
  });
  for (const std::int64_t id : gone) static_cast<void>(files_.remove(damaged_name(id)));
  return {};
}

Status EmbeddedCounters::repair(const std::stop_token& stop) {
  const MutexLock maintaining(maintaining_);
  const ViewPointer now = view();
  for (const auto& file : now->files) {
    if (stop.stop_requested()) return Error{ErrorCode::kTimeout, "stopped"};
    if (Status right = file->sealed->verify(); !right) {
      note_damage(*file, right.error());
      file->is_corrupt = true;  // also what the disk does not give
    }
  }
  Status first = set_aside_corrupt(stop);
  for (const sqlite::CataloguedFile& lost : now->lost)
    if (Status done = set_aside_lost(lost); !done && first) first = done;
  if (first) are_logs_told_ = true;
  return first;
}

std::vector<CounterLoss> EmbeddedCounters::losses() const {
  const ViewPointer now = view();
  std::vector<CounterLoss> out;
  for (const sqlite::CataloguedFile& lost : now->lost)
    out.push_back({sealed_name(lost.id), 1, lost.day_first, lost.day_last, false});
  std::int64_t id = -1;
  for (const sqlite::GapRow& gap : now->gaps) {  // those of a file are side by side
    if (std::exchange(id, gap.id) == gap.id)
      out.back().share += share_of(gap);
    else
      out.push_back({damaged_name(gap.id), share_of(gap), gap.day_first, gap.day_last, true});
  }
  return out;
}

}  // namespace shingled::storage::counters
