#pragma once

#include <cstddef>
#include <unordered_set>

#include "config/base/clock.h"
#include "storage/fuzzy_store.h"

namespace shingled::storage {

/// Remembers names for `window` at least and twice that at most, or, when there are very many, the
/// last `most` / 2 of them at least and never more than `most`.
///
/// A value: it takes `now`. Threads: one thread.
class RecentNames {
 public:
  RecentNames(Duration window, std::size_t most) : window_(window), half_(most / 2) {}

  [[nodiscard]] bool contains(const UpdateName& name, TimePoint now) const;
  void insert(const UpdateName& name, TimePoint now);
  [[nodiscard]] std::size_t size() const { return young_.size() + old_.size(); }

 private:
  using Names = std::unordered_set<UpdateName, UpdateNameHash>;

  Duration window_;
  std::size_t half_;
  // Two generations: when the young one is full or `window` old it becomes the old one, and what
  // was the old one is forgotten as a whole.
  Names young_;
  Names old_;
  TimePoint born_{};     // of the young generation
  TimePoint old_end_{};  // when the old generation stops counting
};

}  // namespace shingled::storage
