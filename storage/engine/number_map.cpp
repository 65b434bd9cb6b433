#include "storage/engine/number_map.h"

#include <cassert>
#include <utility>

namespace shingled::storage {

NumberMap::NumberMap() : table_(pages_for(1)) { show(table_); }

void NumberMap::reserve(std::size_t count) {
  assert(size_ == 0);
  const double buckets = static_cast<double>(count) / (kLoadMax * kBucketEntries);
  table_ = pages_for(static_cast<std::size_t>(buckets) + 1);
  show(table_);
}

bool NumberMap::insert(std::uint64_t hash, std::uint32_t number) {
  const bool grows = static_cast<double>(size_ + 1) > kLoadMax * places();
  if (grows) {
    // By a sixteenth, more or less: maps that filled up alike shall not all grow at once.
    const std::size_t count = view().bucket_count;
    move_to(count + count / 24 + count / 24 * (hash & 0xff) / 256 + 1);
  }
  view().place(HashParts::print(hash), number);
  ++size_;
  return grows;
}

bool NumberMap::erase(std::uint64_t hash, std::uint32_t number) {
  const View view = this->view();
  const std::uint32_t print = HashParts::print(hash);
  const std::uint32_t wanted = (print >> 16 << kNumberBits) | number;
  const std::uint32_t home = view.home(print);
  std::uint32_t b = home;
  for (std::size_t seen = 0; seen < view.bucket_count; ++seen, b = view.next(b)) {
    Bucket& bucket = view.buckets[b];
    for (std::size_t i = 0; i < kBucketEntries; ++i) {
      if (bucket.entries[i].load(std::memory_order_relaxed) != wanted) continue;
      if (bucket.print(i) != print) continue;
      bucket.entries[i].store(0, std::memory_order_release);
      for (std::uint32_t p = home; p != b; p = view.next(p)) view.buckets[p].add_passed(-1);
      --size_;
      const bool shrinks =
          view.bucket_count > kPageBuckets && static_cast<double>(size_) < kLoadMin * places();
      if (shrinks) move_to(view.bucket_count - view.bucket_count / 4);
      return shrinks;
    }
    if (bucket.passed() == 0) return false;
  }
  return false;
}

void NumberMap::move_to(std::size_t bucket_count) {
  const View from = view();
  Pages table = pages_for(bucket_count);
  const View to{static_cast<Bucket*>(table.data()),
                static_cast<std::uint32_t>(table.bytes() / sizeof(Bucket))};
  for (std::uint32_t b = 0; b < from.bucket_count; ++b) {
    const Bucket& bucket = from.buckets[b];
    for (std::size_t i = 0; i < kBucketEntries; ++i) {
      const std::uint32_t entry = bucket.entries[i].load(std::memory_order_relaxed);
      if (entry != 0) to.place(bucket.print(i), entry & kNumberMax);
    }
  }
  retired_.push_back(std::exchange(table_, std::move(table)));
  show(table_);
}

Pages NumberMap::pages_for(std::size_t bucket_count) {
  const std::size_t pages = (bucket_count + kPageBuckets - 1) / kPageBuckets;
  assert(pages < std::size_t{1} << kPagesBits);
  return Pages(pages * kPageBytes);
}

void NumberMap::show(const Pages& table) {
  const auto address = reinterpret_cast<std::uintptr_t>(table.data());
  static_assert(sizeof address == 8 && 64 - kPagesBits + 12 == 48, "48 bits of address are kept");
  assert(address % kPageBytes == 0 && address >> 48 == 0);
  shown_.store(address / kPageBytes << kPagesBits | table.bytes() / kPageBytes,
               std::memory_order_release);
}

void NumberMap::View::place(std::uint32_t print, std::uint32_t number) const {
  for (std::uint32_t b = home(print);; b = next(b)) {
    Bucket& bucket = buckets[b];
    for (std::size_t i = 0; i < kBucketEntries; ++i) {
      if (bucket.entries[i].load(std::memory_order_relaxed) != 0) continue;
      return bucket.put(i, print, number);
    }
    bucket.add_passed(1);
  }
}

void NumberMap::Bucket::add_passed(int change) {
  // Two's complement: adding -1 << 32 takes one away. Only the writer stores here.
  const auto step = static_cast<std::uint64_t>(static_cast<std::int64_t>(change)) << 32;
  prints[2].store(prints[2].load(std::memory_order_relaxed) + step, std::memory_order_release);
}

void NumberMap::Bucket::put(std::size_t place, std::uint32_t print, std::uint32_t number) {
  const unsigned shift = place % 4 * 16;
  std::atomic<std::uint64_t>& word = prints[place / 4];
  const std::uint64_t others =
      word.load(std::memory_order_relaxed) & ~(std::uint64_t{0xffff} << shift);
  word.store(others | std::uint64_t{print & 0xffff} << shift, std::memory_order_release);
  entries[place].store((print >> 16 << kNumberBits) | number, std::memory_order_release);
}

}  // namespace shingled::storage
