#include "storage/replication/range_sums.h"

#include <algorithm>

#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::replication {

std::size_t range_of(const Digest& digest) {
  return std::size_t{digest.bytes[0]} << 8U | digest.bytes[1];
}
static_assert(kRanges == std::size_t{1} << 16U, "the first two bytes of a digest");

void RangeSumTable::add(const PartRecord& record) {
  Bytes keyed(key_.begin(), key_.end());
  const Bytes bytes = encode_record(record);
  keyed.insert(keyed.end(), bytes.begin(), bytes.end());
  const UpdateId hash = crypto::content_id(keyed);
  sums_[range_of(record.digest)] += ByteReader(hash).u64();
}

RangeSums RangeSumTable::message(std::uint32_t first, std::size_t count) const {
  const auto begin = sums_.begin() + first;
  return {first, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

void RangeSumTable::put(const RangeSums& message) {
  std::ranges::copy(message.sums, sums_.begin() + message.first);
}

RangesDiffer RangeSumTable::differences(const RangeSumTable& other) const {
  RangesDiffer ranges{std::vector<std::uint8_t>(kRanges / 8)};
  for (std::size_t i = 0; i < kRanges; ++i) {
    if (sums_[i] != other.sums_[i]) ranges.bits[i / 8] |= static_cast<std::uint8_t>(1U << i % 8);
  }
  return ranges;
}

bool is_in(const RangesDiffer& ranges, const Digest& digest) {
  const std::size_t range = range_of(digest);
  return (static_cast<unsigned>(ranges.bits[range / 8]) >> range % 8 & 1U) != 0;
}

}  // namespace shingled::storage::replication
