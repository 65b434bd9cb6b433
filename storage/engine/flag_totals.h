#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/model/flag_set.h"

namespace shingled::storage::engine {

/// How many records stand on each list, kept up to date as they come and go.
///
/// Lists beyond those a packet can name (255) are counted as one: only an import brings them, and
/// their number has no bound.
/// Threads: one writer; `read` from any thread.
/// Cost: two loads and stores a list of the record, no lock.
class FlagTotals {
 public:
  static constexpr std::uint32_t kOther = 256;  ///< stands for every flag from here on

  struct Total {
    std::uint32_t flag = 0;
    std::uint64_t records = 0;
    std::int64_t value = 0;  ///< the sum of their values
    friend bool operator==(const Total&, const Total&) = default;
  };

  void add(const FlagSet& flags) { count(flags, 1); }
  void take(const FlagSet& flags) { count(flags, -1); }
  /// Lists with records, in the order of flags.
  [[nodiscard]] std::vector<Total> read() const;

 private:
  struct Cell {
    std::atomic<std::int64_t> records{0};
    std::atomic<std::int64_t> value{0};
  };
  void count(const FlagSet& flags, std::int64_t sign);
  std::array<Cell, kOther + 1> cells_;
};

}  // namespace shingled::storage::engine
