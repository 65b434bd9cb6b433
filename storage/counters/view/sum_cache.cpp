#include "storage/counters/view/sum_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "config/base/prefetch.h"

namespace shingled::storage::counters {

namespace {

constexpr std::size_t kWindowsMax = 16;
/// Of the memory, the part for indexes: 8 bytes for a record of about 70.
constexpr std::size_t kIndexShare = 8;
constexpr std::uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;

/// In front of the sums, which are for each window a byte that says which measures are not 0, and
/// then those: 7 bits in a byte, the highest bit says that there are more.
struct RecordHeader {
  std::uint64_t shingle = 0;
  std::uint64_t files = 0;
  Slot now = 0;
  std::uint32_t windows = 0;
  std::uint32_t tag = 0;
  std::uint32_t bytes = 0;
};
static_assert(sizeof(RecordHeader) == 32);

constexpr std::size_t kNumberBytesMax = 10;
constexpr std::size_t kSumsBytesMax = kWindowsMax * (1 + kMeasures * kNumberBytesMax);
constexpr std::size_t kAlignment = 8;

// An entry of the index: some bits of the hash, so that a key that is not there seldom needs a look
// at a record, and a position in units of kAlignment, one more than it is. 0 = none.
constexpr unsigned kPositionBits = 52;
constexpr std::uint64_t kPositionMask = (1ULL << kPositionBits) - 1;
constexpr std::uint64_t kMarkMask = (1ULL << (64 - kPositionBits)) - 1;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint8_t* put_sums(std::span<const Amounts> sums, std::uint8_t* out) {
  for (const Amounts& amounts : sums) {
    std::uint8_t& mask = *out++;
    mask = 0;
    for (std::size_t i = 0; i < kMeasures; ++i) {
      std::uint64_t count = amounts.counts[i];
      if (count == 0) continue;
      mask = static_cast<std::uint8_t>(mask | 1U << i);
      for (; count >= 0x80; count >>= 7U) *out++ = static_cast<std::uint8_t>(count | 0x80);
      *out++ = static_cast<std::uint8_t>(count);
    }
  }
  return out;
}

void take_sums(const std::uint8_t* in, std::span<Amounts> sums) {
  for (Amounts& amounts : sums) {
    amounts = {};
    for (unsigned mask = *in++; mask != 0; mask &= mask - 1) {
      std::uint64_t& count = amounts.counts[static_cast<std::size_t>(std::countr_zero(mask))];
      unsigned shift = 0;
      for (; *in >= 0x80; ++in, shift += 7) count |= std::uint64_t{*in & 0x7FU} << shift;
      count |= std::uint64_t{*in++} << shift;
    }
  }
}

}  // namespace

SumCache::SumCache(std::uint64_t bytes_max) {
  const std::uint64_t of_shard = bytes_max / kShards;
  index_entries_ = std::bit_floor(of_shard / kIndexShare / sizeof(std::uint64_t));
  if (index_entries_ == 0) return;
  ring_bytes_ = (of_shard - index_entries_ * sizeof(std::uint64_t)) / kAlignment * kAlignment;
  index_.reset(
      static_cast<std::uint64_t*>(std::calloc(kShards * index_entries_, sizeof(std::uint64_t))));
  if (!index_) throw std::bad_alloc();
}

std::optional<std::uint32_t> SumCache::number_of(std::span<const Window> windows) {
  if (index_entries_ == 0 || windows.empty() || windows.size() > kWindowsMax) return std::nullopt;
  auto known = windows_.lock();
  for (const auto& [set, number] : known->sets)
    if (std::ranges::equal(set, windows)) return number;
  if (known->sets.size() == kWindowSetsMax) known->sets.erase(known->sets.begin());
  known->sets.emplace_back(std::vector<Window>(windows.begin(), windows.end()), known->next);
  return known->next++;
}

SumCache::Place SumCache::place_of(const CounterKey& key) const {
  const std::size_t shard = key.shingle % kShards;
  const std::uint64_t spread = (key.shingle / kShards ^ key.tag()) * kSpread;
  const std::size_t entry = static_cast<std::size_t>(spread >> 32U) & (index_entries_ - 1);
  return {shard, shard * index_entries_ + entry, (spread & kMarkMask) << kPositionBits};
}

void SumCache::prefetch(std::span<const CounterKey> keys) const {
  if (!index_) return;
  for (const CounterKey& key : keys) prefetch_line(&index_[place_of(key).at]);
}

bool SumCache::find(const Basis& basis, const CounterKey& key, std::span<Amounts> sums) const {
  if (!index_) return false;
  const Place place = place_of(key);
  auto shard = shards_[place.shard].lock();
  const std::uint64_t entry = index_[place.at];
  const std::uint64_t next = entry & kPositionMask;
  if (next == 0 || (entry ^ place.mark) > kPositionMask) return false;
  const std::uint64_t position = (next - 1) * kAlignment;
  if (shard->written - position > ring_bytes_) return false;
  const std::uint8_t* const record = shard->ring.get() + position % ring_bytes_;
  RecordHeader header;
  std::memcpy(&header, record, sizeof header);
  if (header.shingle != key.shingle || header.tag != key.tag() ||
      Basis{header.files, header.now, header.windows} != basis)
    return false;
  take_sums(record + sizeof header, sums);
  return true;
}

void SumCache::insert(const Basis& basis, const CounterKey& key, std::span<const Amounts> sums) {
  std::array<std::uint8_t, sizeof(RecordHeader) + kSumsBytesMax> record;
  const std::uint8_t* const end = put_sums(sums, record.data() + sizeof(RecordHeader));
  const std::size_t size = aligned(static_cast<std::size_t>(end - record.data()));
  const RecordHeader header{key.shingle,   basis.files, basis.now,
                            basis.windows, key.tag(),   static_cast<std::uint32_t>(size)};
  std::memcpy(record.data(), &header, sizeof header);
  if (size > ring_bytes_) return;

  const Place place = place_of(key);
  auto shard = shards_[place.shard].lock();
  if (!shard->ring)
    shard->ring = std::make_unique_for_overwrite<std::uint8_t[]>(ring_bytes_);  // NOLINT(*-arrays)
  // A record is in one piece: what is left at the end of the ring is passed over.
  if (const std::uint64_t left = ring_bytes_ - shard->written % ring_bytes_; left < size)
    shard->written += left;
  std::memcpy(shard->ring.get() + shard->written % ring_bytes_, record.data(), size);
  index_[place.at] = place.mark | (shard->written / kAlignment + 1);
  shard->written += size;
}

std::uint64_t SumCache::bytes() const {
  std::uint64_t bytes = 0;
  for (auto& each : shards_)
    if (auto shard = each.lock(); shard->ring)
      bytes += ring_bytes_ + index_entries_ * sizeof(std::uint64_t);
  return bytes;
}

}  // namespace shingled::storage::counters
