#pragma once

#include <cstdint>
#include <vector>

#include "storage/replication/message.h"

namespace shingled::storage::replication {

/// The range of a digest: its first two bytes, big-endian.
std::size_t range_of(const Digest& digest);

/// One checksum for each of kRanges equal ranges of the digest space: the sum (mod 2^64) of a keyed
/// hash of every record in the range. Two stores with the same records have the same sums, in
/// whatever order the records were added. Different records have the same sum with a probability of
/// 2^-64. A value of 512 KB.
/// Cost: one BLAKE2b per record.
class RangeSumTable {
 public:
  explicit RangeSumTable(const RangeKey& key) : key_(key), sums_(kRanges) {}

  void add(const PartRecord& record);
  /// A message with the sums of `count` ranges from `first` on.
  [[nodiscard]] RangeSums message(std::uint32_t first, std::size_t count) const;
  /// Stores sums that the other side sent.
  void put(const RangeSums& message);
  /// The ranges in which `other` has other sums.
  [[nodiscard]] RangesDiffer differences(const RangeSumTable& other) const;

 private:
  RangeKey key_;
  std::vector<std::uint64_t> sums_;
};

/// Whether the range of `digest` is one of `ranges`.
bool is_in(const RangesDiffer& ranges, const Digest& digest);

}  // namespace shingled::storage::replication
