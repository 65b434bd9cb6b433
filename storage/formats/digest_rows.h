#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mime/fingerprint/fingerprint.h"

namespace shingled::storage::formats {

/// Finds the rows of a file that may have a digest. It keeps only a 64-bit hash of each digest, so
/// the caller compares the digest of the row. It is a small index for tools that read a whole file.
///
/// Cost: 21 to 43 bytes per digest.
/// Threads: one thread.
class DigestRows {
 public:
  void add(const Digest& digest, std::int64_t row) {
    if (count_ * 4 >= cells_.size() * 3) grow();
    place({DigestHash()(digest), row});
    ++count_;
  }

  /// Calls `is_it(row)` for each candidate until it returns true. Returns that row, or 0.
  template <typename IsIt>
  [[nodiscard]] std::int64_t find(const Digest& digest, const IsIt& is_it) const {
    if (cells_.empty()) return 0;
    const std::uint64_t hash = DigestHash()(digest);
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Cell& cell = cells_[at];
      if (cell.row == 0) return 0;
      if (cell.hash == hash && is_it(cell.row)) return cell.row;
    }
  }

 private:
  static constexpr std::size_t kCellsMin = 1024;
  struct Cell {
    std::uint64_t hash = 0;
    std::int64_t row = 0;  ///< 0 = free
  };
  [[nodiscard]] std::size_t mask() const { return cells_.size() - 1; }
  void grow() {
    std::vector<Cell> old(std::max(kCellsMin, cells_.size() * 2));
    old.swap(cells_);
    for (const Cell& cell : old) {
      if (cell.row != 0) place(cell);
    }
  }
  void place(const Cell& cell) {
    std::size_t at = cell.hash & mask();
    while (cells_[at].row != 0) at = (at + 1) & mask();
    cells_[at] = cell;
  }

  std::vector<Cell> cells_;  ///< their number is a power of two
  std::size_t count_ = 0;
};

}  // namespace shingled::storage::formats
