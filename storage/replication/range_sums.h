#pragma once

#include <cstdint>
#include <vector>

#include "storage/replication/message.h"

namespace shingled::storage::replication {

/// The range of a digest: its first two bytes, the first one high.
std::size_t range_of(const Digest& digest);

/// What stands in each of kRanges equal ranges of the digest space, in a number each: the sum (mod
/// 2^64) of a keyed hash of every record there. Two stores with the same records have the same sums
/// in whatever order they were added; with other records a range has the same sum by chance once in
/// 2^64. A value of 512 KB.
/// Cost: one BLAKE2b a record.
class RangeSumTable {
 public:
  explicit RangeSumTable(const RangeKey& key) : key_(key), sums_(kRanges) {}

  void add(const PartRecord& record);
  /// The sums of some ranges as a message.
  [[nodiscard]] RangeSums message(std::uint32_t first, std::size_t count) const;
  /// Takes what the other side says of its sums.
  void put(const RangeSums& message);
  /// Where `other` is different.
  [[nodiscard]] RangesDiffer differences(const RangeSumTable& other) const;

 private:
  RangeKey key_;
  std::vector<std::uint64_t> sums_;
};

/// Is the range of that digest one of those that differ?
bool is_in(const RangesDiffer& ranges, const Digest& digest);

}  // namespace shingled::storage::replication
