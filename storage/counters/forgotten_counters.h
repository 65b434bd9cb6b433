#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "storage/counters/counter.h"

namespace shingled::storage::counters {

/// Which counters were forgotten. Logs, tables and files have numbers, each larger than all before:
/// what a forgotten counter has in those up to a number does not count.
/// Threads: a value.
class ForgottenCounters {
 public:
  void put(const CounterKey& key, std::uint64_t last) {
    std::uint64_t& there = last_[key];
    if (last > there) there = last;
  }
  /// The largest number that does not count for this counter; 0 = all count.
  [[nodiscard]] std::uint64_t last(const CounterKey& key) const {
    const auto found = last_.find(key);
    return found == last_.end() ? 0 : found->second;
  }
  [[nodiscard]] bool has_before(std::uint64_t first) const {
    return std::ranges::any_of(last_, [&](const auto& row) { return row.second < first; });
  }
  /// Drops what applies to numbers below `first` only.
  void drop_before(std::uint64_t first) {
    std::erase_if(last_, [&](const auto& row) { return row.second < first; });
  }
  [[nodiscard]] std::size_t size() const { return last_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const CounterKey& key) const {
      return static_cast<std::size_t>(key.shingle ^ key.tag());  // shingles are hashes
    }
  };
  std::unordered_map<CounterKey, std::uint64_t, Hash> last_;
};

}  // namespace shingled::storage::counters
