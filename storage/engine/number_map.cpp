#include "storage/engine/number_map.h"

#include <cassert>

namespace shingled::storage {

NumberMap::NumberMap() : owned_(std::make_unique<const Table>(kPageBuckets)) {
  table_.store(owned_.get(), std::memory_order_release);
}

void NumberMap::reserve(std::size_t count) {
  assert(size_ == 0);
  const double buckets = static_cast<double>(count) / (kLoadMax * kBucketEntries);
  const std::size_t pages = static_cast<std::size_t>(buckets) / kPageBuckets + 1;
  owned_ = std::make_unique<const Table>(pages * kPageBuckets);
  table_.store(owned_.get(), std::memory_order_release);
}

void NumberMap::erase(std::uint64_t hash, std::uint32_t number) {
  const std::uint32_t print = HashParts::print(hash);
  const std::uint32_t wanted = (print >> 8 << kNumberBits) | number;
  const std::size_t home = owned_->home(hash);
  std::size_t b = home;
  for (std::size_t seen = 0; seen < owned_->bucket_count; ++seen, b = owned_->next(b)) {
    Bucket& bucket = owned_->buckets()[b];
    for (std::size_t i = 0; i < kBucketEntries; ++i) {
      if (bucket.entries[i].load(std::memory_order_relaxed) != wanted) continue;
      const std::uint64_t prints = bucket.prints[i / 8].load(std::memory_order_relaxed);
      if ((prints >> (i % 8 * 8) & 0xff) != (print & 0xff)) continue;
      bucket.entries[i].store(0, std::memory_order_release);
      for (std::size_t p = home; p != b; p = owned_->next(p)) owned_->buckets()[p].add_passed(-1);
      --size_;
      return;
    }
    if (bucket.passed() == 0) return;
  }
}

void NumberMap::prefetch(std::uint64_t hash) const {
  const Table& table = *this->table();
  const Bucket* home = &table.buckets()[table.home(hash)];
  __builtin_prefetch(home);
  __builtin_prefetch(home + 1);  // where every second search goes on; 10 % of a miss
}

void NumberMap::place(const Table& table, std::uint64_t hash, std::uint32_t number) {
  for (std::size_t b = table.home(hash);; b = table.next(b)) {
    Bucket& bucket = table.buckets()[b];
    for (std::size_t i = 0; i < kBucketEntries; ++i) {
      if (bucket.entries[i].load(std::memory_order_relaxed) != 0) continue;
      return bucket.put(i, HashParts::print(hash), number);
    }
    bucket.add_passed(1);
  }
}

void NumberMap::Bucket::add_passed(int change) {
  // Two's complement: adding -1 << 32 takes one away. Only the writer stores here.
  const auto step = static_cast<std::uint64_t>(static_cast<std::int64_t>(change)) << 32;
  prints[1].store(prints[1].load(std::memory_order_relaxed) + step, std::memory_order_release);
}

void NumberMap::Bucket::put(std::size_t place, std::uint32_t print, std::uint32_t number) {
  const unsigned shift = place % 8 * 8;
  std::atomic<std::uint64_t>& word = prints[place / 8];
  const std::uint64_t others =
      word.load(std::memory_order_relaxed) & ~(std::uint64_t{0xff} << shift);
  word.store(others | std::uint64_t{print & 0xff} << shift, std::memory_order_release);
  entries[place].store((print >> 8 << kNumberBits) | number, std::memory_order_release);
}

std::uint64_t NumberMap::equal_bytes(std::uint64_t prints, std::uint32_t print) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kSevens = 0x7f7f7f7f7f7f7f7f;
  const std::uint64_t different = prints ^ (kOnes * print);
  return ~(((different & kSevens) + kSevens) | different | kSevens);
}

}  // namespace shingled::storage
