#pragma once

#include <cstddef>
#include <unordered_set>
#include <utility>

#include "config/base/clock.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage {

/// Remembers ids for at least `window` and at most twice that. If there are very many ids, it
/// remembers at least the last `most` / 2 of them, and never more than `most`. `Ids` is a set
/// type.
///
/// A value type: the caller passes `now`.
/// Threads: one thread.
template <typename Ids>
class RecentSet {
 public:
  using Set = Ids;
  using Id = typename Ids::value_type;

  RecentSet(Duration window, std::size_t most) : window_(window), half_(most / 2) {}

  [[nodiscard]] bool contains(const Id& id, TimePoint now) const {
    if (now < born_ + 2 * window_ && young_.contains(id)) return true;
    return now < old_end_ && old_.contains(id);
  }
  void insert(const Id& id, TimePoint now) {
    if (young_.size() >= half_ || now >= born_ + window_) {
      old_ = std::exchange(young_, {});
      old_end_ = born_ + 2 * window_;
      born_ = now;
    }
    young_.insert(id);
  }
  [[nodiscard]] std::size_t size() const { return young_.size() + old_.size(); }

 private:
  Duration window_;
  std::size_t half_;
  // Two generations: when the young one is full or `window` old, it becomes the old one, and the
  // previous old one is dropped as a whole.
  Ids young_;
  Ids old_;
  TimePoint born_{};     // when the young generation began
  TimePoint old_end_{};  // when the old generation stops counting
};

using RecentIds = RecentSet<std::unordered_set<UpdateId, UpdateIdHash>>;

}  // namespace shingled::storage
