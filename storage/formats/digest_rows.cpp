#include "storage/formats/digest_rows.h"

#include <algorithm>

namespace shingled::storage::formats {
namespace {

constexpr std::size_t kCellsMin = 1024;

}  // namespace

void DigestRows::add(const Digest& digest, std::int64_t row) {
  if (count_ * 4 >= cells_.size() * 3) grow();
  place({DigestHash()(digest), row});
  ++count_;
}

void DigestRows::grow() {
  std::vector<Cell> old(std::max(kCellsMin, cells_.size() * 2));
  old.swap(cells_);
  for (const Cell& cell : old) {
    if (cell.row != 0) place(cell);
  }
}

void DigestRows::place(const Cell& cell) {
  std::size_t at = cell.hash & mask();
  while (cells_[at].row != 0) at = (at + 1) & mask();
  cells_[at] = cell;
}

}  // namespace shingled::storage::formats
