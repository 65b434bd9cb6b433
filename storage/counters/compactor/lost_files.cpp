#include "storage/counters/compactor/lost_files.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "storage/counters/counter_files.h"
#include "storage/counters/sealed/unique_doubts.h"

namespace shingled::storage::counters {

Status LostFiles::set_aside(const sqlite::CataloguedFile& lost) {
  // It may only have been out of reach when the daemon started.
  if (auto file = sealed_.open_file(lost)) {
    view_.change([&](View& view) {
      std::erase(view.lost, lost);
      const auto behind = std::ranges::find_if(
          view.files, [&](const auto& one) { return one->catalogued.id > lost.id; });
      view.files.insert(behind, *std::move(file));
    });
    return {};
  }
  const std::vector<sqlite::GapRow> gaps = gaps_of(lost, {ShingleRange{}});
  auto catalogue = sealed_.catalogue();
  sqlite::CounterCatalogue::Change change;
  change.removed = std::span(&lost.id, 1);
  change.gaps = gaps;
  if (Status changed = catalogue->file->change(change); !changed) return changed;
  view_.change([&](View& view) {
    std::erase(view.lost, lost);
    view.gaps.insert(view.gaps.end(), gaps.begin(), gaps.end());
  });
  sealed_.move_aside(lost.id);
  return {};
}

Status LostFiles::drop(const sqlite::CataloguedFile& lost) {
  auto catalogue = sealed_.catalogue();
  sqlite::CounterCatalogue::Change change;
  change.removed = std::span(&lost.id, 1);
  change.lost_from = lost.day_last + 1;
  if (Status changed = catalogue->file->change(change); !changed) return changed;
  view_.change([&](View& view) { std::erase(view.lost, lost); });
  static_cast<void>(files_.remove(sealed_name(lost.id)));
  return {};
}

Status LostFiles::expire(Day days_from) {
  const auto is_over = [&](const sqlite::GapRow& gap) { return gap.day_last < days_from; };
  const ViewPointer now = view_.get();
  if (std::ranges::none_of(now->gaps, is_over)) return {};
  auto catalogue = sealed_.catalogue();
  sqlite::CounterCatalogue::Change change;
  change.lost_from = days_from;
  if (Status changed = catalogue->file->change(change); !changed) return changed;
  std::set<std::int64_t> gone;
  view_.change([&](View& view) {
    for (const sqlite::GapRow& gap : view.gaps)
      if (is_over(gap)) gone.insert(gap.id);
    std::erase_if(view.gaps, is_over);
  });
  for (const std::int64_t id : gone) static_cast<void>(files_.remove(damaged_name(id)));
  return {};
}

}  // namespace shingled::storage::counters
