#include "storage/formats/digest_rows.h"

#include <algorithm>
#include <cstring>

namespace shingled::storage {
namespace {

constexpr std::size_t kCellsMin = 1024;

}  // namespace

/// All eight words count: digests that agree in some of them are easily made.
std::uint64_t DigestRows::hash_of(const Digest& digest) {
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at < kDigestBytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, digest.bytes.data() + at, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

void DigestRows::add(const Digest& digest, std::int64_t row) {
  if (count_ * 4 >= cells_.size() * 3) grow();
  place({hash_of(digest), row});
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

}  // namespace shingled::storage
