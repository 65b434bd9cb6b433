#include "storage/counters/view/counter_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "storage/counters/counter_files.h"

namespace shingled::storage::counters {

namespace {

/// Counters with fewer entries in the files are read as quickly as they are kept, and most of them
/// are never asked for again. So one of some is kept: a frequent one is soon among them.
constexpr std::uint32_t kFewEntries = 2;
constexpr std::uint64_t kFewKeptOneOf = 8;

/// Shingles are hashes, so a part of their range is that part of the counters.
double share_of(const sqlite::GapRow& gap) {
  return (static_cast<double>(gap.shingle_last - gap.shingle_first) + 1) * std::exp2(-64);
}

/// Merges the tables and files of one view. Of a table it holds a shard at a time, of a file a
/// bucket.
class Scan final : public CounterCursor {
 public:
  Scan(ViewPointer view, const MergeRules& rules) : view_(std::move(view)), rules_(rules) {
    if (view_->live) sources_.emplace_back(*view_->live);
    for (const auto& table : view_->frozen) sources_.emplace_back(*table);
    for (const auto& file : view_->files) sources_.emplace_back(*file);
  }

  Result<const CounterSeries*> next() override {
    if (Status begun = begin(); !begun) return begun.error();
    while (!heap_.empty()) {
      const CounterKey key = sources_[heap_.front()].key();
      const std::uint64_t forgotten = view_->last_forgotten(key);
      std::vector<Entry> entries;
      while (!heap_.empty() && sources_[heap_.front()].key() == key) {
        std::ranges::pop_heap(heap_, later_);
        Source& source = sources_[heap_.back()];
        if (source.number() > forgotten) source.take(entries);
        if (Status advanced = source.advance(); !advanced) {
          heap_.clear();
          return advanced.error();
        }
        if (source.at_end())
          heap_.pop_back();
        else
          std::ranges::push_heap(heap_, later_);
      }
      found_ = {key, apply_rules(key.type, entries, rules_)};
      if (!found_.entries.empty()) return &found_;
    }
    return nullptr;
  }

 private:
  /// A table or a file, and the counter that it is at.
  class Source {
   public:
    explicit Source(const Live& live) : live_(&live), number_(live.number) {}
    explicit Source(const CounterFile& file) : cursor_(*file.sealed), number_(file.number()) {}

    [[nodiscard]] const CounterKey& key() const { return cursor_ ? row_->key : shard_[at_].first; }
    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] bool at_end() const { return cursor_ ? row_ == nullptr : at_ == shard_.size(); }
    void take(std::vector<Entry>& entries) const {
      if (!cursor_)
        add_entry(entries, {{Period::Unit::kSlot, live_->table.slot()}, shard_[at_].second});
      else
        for (const Entry& entry : row_->entries) add_entry(entries, entry);
    }
    Status advance() {
      if (cursor_) {
        auto next = cursor_->next();
        if (!next) return next.error();
        row_ = *next;
        return {};
      }
      if (at_ < shard_.size()) ++at_;
      while (at_ == shard_.size() && shards_read_ < LiveTable::kShards) {
        at_ = 0;
        live_->table.read_shard(shards_read_++, shard_);
      }
      return {};
    }

   private:
    const Live* live_ = nullptr;
    std::optional<SealedFile::Cursor> cursor_;
    std::uint64_t number_;
    const Row* row_ = nullptr;
    std::vector<std::pair<CounterKey, Amounts>> shard_;
    std::size_t at_ = 0;
    std::size_t shards_read_ = 0;
  };

  Status begin() {
    if (std::exchange(has_begun_, true)) return {};
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (Status advanced = sources_[i].advance(); !advanced) {
        heap_.clear();
        return advanced;
      }
      if (!sources_[i].at_end()) heap_.push_back(i);
    }
    std::ranges::make_heap(heap_, later_);
    return {};
  }

  struct Later {
    const std::vector<Source>* sources;
    bool operator()(std::size_t a, std::size_t b) const {
      return (*sources)[b].key() < (*sources)[a].key();
    }
  };

  const ViewPointer view_;
  const MergeRules rules_;
  std::vector<Source> sources_;
  std::vector<std::size_t> heap_;  ///< places of sources; the smallest key is on top
  const Later later_{&sources_};
  bool has_begun_ = false;
  CounterSeries found_;
};

}  // namespace

CounterAnswers CounterReader::ask(std::span<const CounterKey> keys,
                                  std::span<const Window> windows) {
  const Slot slot = time_.present_slot();
  const ViewPointer now = view_.get();
  CounterAnswers answers;
  answers.windows = windows.size();
  answers.sums.resize(keys.size() * windows.size());
  answers.known.assign(keys.size(), true);
  if (now->live) now->live->table.prefetch(keys);
  ask_files(*now, slot, keys, windows, answers);

  const auto add_table = [&](const Live& live) {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (const Amounts amounts = live.table.find(keys[i]);
          !amounts.is_zero() && live.number > now->last_forgotten(keys[i]))
        WindowSums(windows, slot, answers.of_key(i))
            .add(keys[i].type, {Period::Unit::kSlot, live.table.slot()}, amounts);
  };
  if (now->live) add_table(*now->live);
  for (const auto& table : now->frozen) add_table(*table);
  ask_losses(*now, slot, keys, windows, answers);
  return answers;
}

void CounterReader::ask_files(const View& view, Slot slot, std::span<const CounterKey> keys,
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
      damage_.note(*file, found.error());
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

void CounterReader::ask_losses(const View& view, Slot slot, std::span<const CounterKey> keys,
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

std::unique_ptr<CounterCursor> CounterReader::scan() const {
  return std::make_unique<Scan>(view_.get(), rules_now(time_));
}

std::vector<CounterLoss> CounterReader::losses() const {
  const ViewPointer now = view_.get();
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
