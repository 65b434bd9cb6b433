// What EmbeddedCounters answers from its sealed files.
#include <algorithm>
#include <optional>

#include "storage/counters/embedded_counters.h"

namespace shingled::storage::counters {

namespace {

/// Counters with fewer entries in the files are read as quickly as they are kept, and most of them
/// are never asked for again. So one of some is kept: a frequent one is soon among them.
constexpr std::uint32_t kFewEntries = 2;
constexpr std::uint64_t kFewKeptOneOf = 8;

}  // namespace

void EmbeddedCounters::ask_files(const View& view, Slot slot, std::span<const CounterKey> keys,
                                 std::span<const Window> windows, CounterAnswers& answers) {
  if (view.files.empty()) return;
  std::optional<SumCache::Basis> basis;
  if (const auto number = sums_.number_of(windows)) basis = {view.number, slot, *number};
  if (basis) sums_.prefetch(keys);
  std::vector<std::size_t> missing;
  std::vector<CounterKey> missing_keys;
  missing.reserve(keys.size());
  missing_keys.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (basis && sums_.find(*basis, keys[i], answers.of_key(i))) continue;
    missing.push_back(i);
    missing_keys.push_back(keys[i]);
  }

  // First of all files the places in the index, then the buckets, so that the memory fetches many
  // of them at once.
  for (const auto& file : view.files) file->sealed->prefetch_index(missing_keys);
  for (const auto& file : view.files) file->sealed->prefetch_buckets(missing_keys);
  std::vector<std::uint32_t> entries(keys.size());
  std::vector<bool> is_partial(keys.size());
  for (const auto& file : view.files)
    for (const std::size_t i : missing) {
      if (file->number() <= view.last_forgotten(keys[i])) continue;
      WindowSums sums(windows, slot, answers.of_key(i));
      const Status found =
          file->sealed->find(keys[i], [&](const Period& period, const Amounts& amounts) {
            sums.add(keys[i].type, period, amounts);
            ++entries[i];
          });
      if (found) continue;
      is_partial[i] = true;
      note_damage(*file, found.error());
      const LostPeriods lost = LostPeriods::of(file->sealed->footer().range);
      for (std::size_t w = 0; w < windows.size(); ++w)
        if (lost.touch(windows[w], slot)) answers.lose(i, w);
    }
  if (!basis) return;
  for (const std::size_t i : missing)
    // A sum is kept only if it was read in full, so not that of a damaged file.
    if (!is_partial[i] && (entries[i] >= kFewEntries || few_asked_++ % kFewKeptOneOf == 0))
      sums_.insert(*basis, keys[i], answers.of_key(i));
}

void EmbeddedCounters::ask_losses(const View& view, Slot slot, std::span<const CounterKey> keys,
                                  std::span<const Window> windows, CounterAnswers& answers) const {
  const bool any_doubts = doubts_.size() > 0;
  if (view.lost.empty() && view.gaps.empty() && !any_doubts) return;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    view.each_loss(keys[i], [&](const LostPeriods& lost, std::int64_t) {
      for (std::size_t w = 0; w < windows.size(); ++w)
        if (lost.touch(windows[w], slot)) answers.lose(i, w);
    });
    if (!any_doubts || !is_unique(keys[i].type)) continue;
    for (std::size_t w = 0; w < windows.size(); ++w)
      if (doubts_.concern(keys[i], windows[w], slot)) answers.lose(i, w);
  }
}

}  // namespace shingled::storage::counters
