#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace shingled {

/// The `most` best of all items that it is shown. `Better(a, b)`: a goes before b.
/// Memory: what is kept.
/// Threads: one thread.
/// Cost: O(log most) for an item that is kept, one comparison for the others.
template <typename Item, typename Better>
class Best {
 public:
  explicit Best(std::size_t most, Better better = {}) : most_(most), better_(std::move(better)) {}

  void add(Item item) {
    if (kept_.size() < most_) {
      kept_.push_back(std::move(item));
      std::push_heap(kept_.begin(), kept_.end(), better_);
    } else if (most_ > 0 && better_(item, kept_.front())) {
      std::pop_heap(kept_.begin(), kept_.end(), better_);
      kept_.back() = std::move(item);
      std::push_heap(kept_.begin(), kept_.end(), better_);
    }
  }

  /// The worst that is kept: a further item must be better. nullptr while there is room.
  [[nodiscard]] const Item* worst() const {
    return kept_.size() < most_ || kept_.empty() ? nullptr : &kept_.front();
  }

  /// The best first.
  [[nodiscard]] std::vector<Item> take() {
    std::sort(kept_.begin(), kept_.end(), better_);
    return std::move(kept_);
  }

 private:
  std::size_t most_;
  Better better_;
  std::vector<Item> kept_;  ///< a heap, the worst in front
};

/// Sorts `items`, the best first, equal ones in their order, and cuts them to `most`. Returns what
/// is cut off.
template <typename Item, typename Better>
std::vector<Item> keep_best(std::vector<Item>& items, std::size_t most, Better better) {
  std::stable_sort(items.begin(), items.end(), better);
  if (items.size() <= most) return {};
  const auto rest = items.begin() + static_cast<std::ptrdiff_t>(most);
  std::vector<Item> out(std::make_move_iterator(rest), std::make_move_iterator(items.end()));
  items.erase(rest, items.end());
  return out;
}

}  // namespace shingled
