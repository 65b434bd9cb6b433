#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace shingled::storage {

/// A sample and what it is worth.
struct RankedSlot {
  unsigned worth = 0;
  std::uint32_t slot = 0;
};

/// The best of those it is shown: most worth, then the lowest slot.
/// Memory: what is kept.   Threads: one thread.
class BestSlots {
 public:
  explicit BestSlots(std::size_t most) : most_(most) {}

  void add(RankedSlot ranked) {
    if (kept_.size() < most_) {
      kept_.push_back(ranked);
      std::ranges::push_heap(kept_, better);
    } else if (most_ > 0 && better(ranked, kept_.front())) {
      std::ranges::pop_heap(kept_, better);
      kept_.back() = ranked;
      std::ranges::push_heap(kept_, better);
    }
  }

  /// The best first.
  [[nodiscard]] std::vector<RankedSlot> take() {
    std::ranges::sort_heap(kept_, better);
    return std::move(kept_);
  }

 private:
  static bool better(const RankedSlot& one, const RankedSlot& other) {
    return one.worth != other.worth ? one.worth > other.worth : one.slot < other.slot;
  }

  std::size_t most_;
  std::vector<RankedSlot> kept_;  ///< a heap, the worst in front
};

}  // namespace shingled::storage
