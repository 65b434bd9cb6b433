// The part of EmbeddedCounters that reads all counters.
#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "storage/counters/embedded_counters.h"

namespace shingled::storage::counters {

/// Merges the tables and files of one view. Of a table it holds a shard at a time, of a file a
/// bucket.
class EmbeddedCounters::Scan final : public CounterCursor {
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
    explicit Source(const File& file) : cursor_(*file.sealed), number_(file.number()) {}

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

std::unique_ptr<CounterCursor> EmbeddedCounters::scan() {
  return std::make_unique<Scan>(view(), rules_now());
}

}  // namespace shingled::storage::counters
