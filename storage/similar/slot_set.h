#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shingled::storage::similar {

/// Slots, each once, to be looked at in rising order: a list while there are few, then a bit each.
/// Memory: 256 KB and a bit a slot, at most.
/// Threads: one thread.
class SlotSet {
 public:
  explicit SlotSet(std::uint32_t slots) : slots_(slots) {}

  void add(std::uint32_t slot) {
    if (bits_.empty()) {
      few_.push_back(slot);
      if (few_.size() > kFewMax) spread();
    } else {
      bits_[slot / 64] |= std::uint64_t{1} << slot % 64;
    }
  }

  template <typename Visit>
  void each(Visit&& visit) {
    std::ranges::sort(few_);
    few_.erase(std::unique(few_.begin(), few_.end()), few_.end());
    for (const std::uint32_t slot : few_) visit(slot);
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      for (std::uint64_t word = bits_[i]; word != 0; word &= word - 1)
        visit(
            static_cast<std::uint32_t>(i * 64 + static_cast<std::size_t>(std::countr_zero(word))));
    }
  }

 private:
  static constexpr std::size_t kFewMax = 32'768;

  void spread() {
    bits_.assign(slots_ / 64 + 1, 0);
    for (const std::uint32_t slot : few_) bits_[slot / 64] |= std::uint64_t{1} << slot % 64;
    few_ = std::vector<std::uint32_t>();  // and its memory
  }

  std::uint32_t slots_;
  std::vector<std::uint32_t> few_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace shingled::storage::similar
