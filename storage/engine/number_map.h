#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "storage/engine/pages.h"

namespace shingled::storage {

inline constexpr unsigned kNumberBits = 26;
/// Record numbers run from 1 to here; 0 marks an empty place.
inline constexpr std::uint32_t kNumberMax = (1U << kNumberBits) - 1;

/// How the 64 bits of a hash are used. What the map does not keep (the shard, by being in it, and
/// the fingerprint, in the entry) and what it must ask the record for (the low part) are together
/// the whole hash: equal in all three means equal.
struct HashParts {
  static constexpr unsigned kShardBits = 6;
  static constexpr unsigned kPrintBits = 14;
  static constexpr unsigned kLowBits = 44;
  static_assert(kShardBits + kPrintBits + kLowBits == 64);
  static constexpr std::uint64_t kLowMask = (std::uint64_t{1} << kLowBits) - 1;

  static std::size_t shard(std::uint64_t hash) { return hash >> (64 - kShardBits); }
  static std::uint32_t print(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> kLowBits) & ((1U << kPrintBits) - 1);
  }
  static std::uint64_t low(std::uint64_t hash) { return hash & kLowMask; }
};

/// Hash -> record numbers, several a hash: open addressing over buckets of one cache line, 5 bytes
/// an entry (26 bits of number, 14 of fingerprint). The map keeps no hash; the owner tells the low
/// 44 bits of an entry's hash from its record (`LowBits`), to verify a candidate and to move
/// entries when the map grows.
///
/// Growth: by an eighth, into new memory, while readers go on in the old one; shards keep each step
/// short. A bucket counts the entries that found it full and went on, so a search knows when to
/// stop and nothing is ever moved or marked as deleted.
///
/// Threads: one writer; readers under a ReadGate::Pass. What was replaced stays readable until
/// `free_retired`, which the writer calls after ReadGate::wait_for_readers. A reader that runs
/// beside an insert or erase may or may not see it.
class NumberMap {
 public:
  NumberMap();

  /// Makes room for `count` entries in an empty map that has no reader yet.
  void reserve(std::size_t count);
  template <typename LowBits>
  void insert(std::uint64_t hash, std::uint32_t number, const LowBits& low_bits);
  /// Takes one entry away; nothing happens when it is not there.
  void erase(std::uint64_t hash, std::uint32_t number);

  /// Starts to bring the bucket of `hash` into the cache.
  void prefetch(std::uint64_t hash) const;
  /// Calls `each` with the numbers whose fingerprint agrees: candidates to be verified.
  template <typename Each>
  void for_each_candidate(std::uint64_t hash, const Each& each) const;

  [[nodiscard]] bool has_retired() const { return !retired_.empty(); }
  void free_retired() { retired_.clear(); }

 private:
  static constexpr std::size_t kBucketEntries = 12;
  static constexpr std::size_t kPageBuckets = 4096 / 64;
  /// Full enough to grow. Between 0.82 (just grown) and this an entry costs 6.1 bytes, which is
  /// what keeps a hash with shingles under 480; emptier buckets would answer misses a little
  /// faster.
  static constexpr double kLoadMax = 0.92;

  /// One cache line. `prints`: 12 bytes with the low 8 bits of the fingerprints, then the count of
  /// entries that went past. `entries`: number | high 6 bits of the fingerprint; 0 = empty.
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, 2> prints;
    std::array<std::atomic<std::uint32_t>, kBucketEntries> entries;

    [[nodiscard]] std::uint32_t passed() const {
      return static_cast<std::uint32_t>(prints[1].load(std::memory_order_acquire) >> 32);
    }
    /// The whole fingerprint of a used place. For the writer.
    [[nodiscard]] std::uint64_t print(std::size_t place) const {
      const std::uint64_t high = entries[place].load(std::memory_order_relaxed) >> kNumberBits;
      const std::uint64_t word = prints[place / 8].load(std::memory_order_relaxed);
      return high << 8 | (word >> (place % 8 * 8) & 0xff);
    }
    void add_passed(int change);
    void put(std::size_t place, std::uint32_t print, std::uint32_t number);
  };
  static_assert(sizeof(Bucket) == 64);

  struct Table {
    explicit Table(std::size_t count) : memory(count * sizeof(Bucket)), bucket_count(count) {}
    [[nodiscard]] Bucket* buckets() const { return static_cast<Bucket*>(memory.data()); }
    /// Where a hash begins: its low part scaled to the number of buckets, which keeps the order, so
    /// that growing reads and writes memory from front to back.
    [[nodiscard]] std::size_t home(std::uint64_t hash) const {
      return static_cast<std::size_t>(
          ((HashParts::low(hash) >> (HashParts::kLowBits - 32)) * bucket_count) >> 32);
    }
    [[nodiscard]] std::size_t next(std::size_t bucket) const {
      return bucket + 1 == bucket_count ? 0 : bucket + 1;
    }
    Pages memory;
    std::size_t bucket_count;
  };

  [[nodiscard]] const Table* table() const { return table_.load(std::memory_order_acquire); }
  static void place(const Table& table, std::uint64_t hash, std::uint32_t number);
  template <typename LowBits>
  void move_to(std::size_t bucket_count, const LowBits& low_bits);
  /// One bit at the lowest bit of each byte of `prints` that equals `print`, exactly.
  static std::uint64_t equal_bytes(std::uint64_t prints, std::uint32_t print);

  std::atomic<const Table*> table_;
  std::unique_ptr<const Table> owned_;
  std::vector<std::unique_ptr<const Table>> retired_;
  std::size_t size_ = 0;
};

template <typename LowBits>
void NumberMap::insert(std::uint64_t hash, std::uint32_t number, const LowBits& low_bits) {
  const std::size_t places = owned_->bucket_count * kBucketEntries;
  if (static_cast<double>(size_ + 1) > kLoadMax * static_cast<double>(places)) {
    const std::size_t grown = owned_->bucket_count + owned_->bucket_count / 8;
    move_to((grown / kPageBuckets + 1) * kPageBuckets, low_bits);
  }
  place(*owned_, hash, number);
  ++size_;
}

template <typename LowBits>
void NumberMap::move_to(std::size_t bucket_count, const LowBits& low_bits) {
  auto grown = std::make_unique<const Table>(bucket_count);
  // Some buckets at a time, and of them first all records: their cache misses overlap then.
  constexpr std::size_t kBatchBuckets = 8;
  std::array<std::uint64_t, kBatchBuckets * kBucketEntries> hashes;
  std::array<std::uint32_t, kBatchBuckets * kBucketEntries> numbers;
  for (std::size_t begin = 0; begin < owned_->bucket_count; begin += kBatchBuckets) {
    std::size_t count = 0;
    for (std::size_t b = begin; b < std::min(begin + kBatchBuckets, owned_->bucket_count); ++b) {
      const Bucket& bucket = owned_->buckets()[b];
      for (std::size_t i = 0; i < kBucketEntries; ++i) {
        const std::uint32_t entry = bucket.entries[i].load(std::memory_order_relaxed);
        if (entry == 0) continue;
        hashes[count] = bucket.print(i) << HashParts::kLowBits;
        numbers[count++] = entry & kNumberMax;
      }
    }
    for (std::size_t i = 0; i < count; ++i) hashes[i] |= low_bits(numbers[i]);
    for (std::size_t i = 0; i < count; ++i) place(*grown, hashes[i], numbers[i]);
  }
  retired_.push_back(std::move(owned_));
  owned_ = std::move(grown);
  table_.store(owned_.get(), std::memory_order_release);
}

template <typename Each>
void NumberMap::for_each_candidate(std::uint64_t hash, const Each& each) const {
  const Table& table = *this->table();
  const std::uint32_t print = HashParts::print(hash);
  std::size_t b = table.home(hash);
  for (std::size_t seen = 0; seen < table.bucket_count; ++seen, b = table.next(b)) {
    const Bucket& bucket = table.buckets()[b];
    const std::uint64_t tail = bucket.prints[1].load(std::memory_order_acquire);
    const std::array words = {bucket.prints[0].load(std::memory_order_acquire), tail};
    for (std::size_t w = 0; w < 2; ++w) {
      std::uint64_t equal = equal_bytes(words[w], print & 0xff);
      if (w == 1) equal &= 0xffffffff;  // above stands the count
      for (; equal != 0; equal &= equal - 1) {
        const auto place = w * 8 + static_cast<std::size_t>(__builtin_ctzll(equal)) / 8;
        const std::uint32_t entry = bucket.entries[place].load(std::memory_order_acquire);
        if (entry != 0 && entry >> kNumberBits == print >> 8) each(entry & kNumberMax);
      }
    }
    if (tail >> 32 == 0) return;
  }
}

}  // namespace shingled::storage
