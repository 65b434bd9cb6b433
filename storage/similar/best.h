#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace shingled::storage::similar {

/// The best of those it is shown: most `worth`, then the lowest `at`.
/// Memory: what is kept.
/// Threads: one thread.
template <typename Ranked>
class Best {
 public:
  explicit Best(std::size_t most) : most_(most) {}

  void add(Ranked ranked) {
    if (kept_.size() < most_) {
      kept_.push_back(std::move(ranked));
      std::ranges::push_heap(kept_, better);
    } else if (most_ > 0 && better(ranked, kept_.front())) {
      std::ranges::pop_heap(kept_, better);
      kept_.back() = std::move(ranked);
      std::ranges::push_heap(kept_, better);
    }
  }

  /// The best first.
  [[nodiscard]] std::vector<Ranked> take() {
    std::ranges::sort_heap(kept_, better);
    return std::move(kept_);
  }

 private:
  static bool better(const Ranked& one, const Ranked& other) {
    return one.worth != other.worth ? one.worth > other.worth : one.at < other.at;
  }

  std::size_t most_;
  std::vector<Ranked> kept_;  ///< a heap, the worst in front
};

}  // namespace shingled::storage::similar
