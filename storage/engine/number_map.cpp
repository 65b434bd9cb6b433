#define XXH_INLINE_ALL

#include "storage/engine/number_map.h"

#include <xxhash.h>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "config/base/assert.h"

namespace shingled::storage::engine {
namespace {

/// The table that every map without entries shows. It is never written to.
alignas(4096) constexpr std::array<std::byte, 4096> kEmptyTable{};

}  // namespace

NumberMap::NumberMap() { show(kEmptyTable.data(), 1); }

void NumberMap::reserve(std::size_t count) {
  SHINGLED_ASSERT(size_ == 0);
  const double buckets = static_cast<double>(count) / (kLoadMax * kBucketEntries);
  if (buckets > kPageBuckets) show(pages_for(static_cast<std::size_t>(buckets) + 1));
}

NumberMap::Inserted NumberMap::insert(std::uint64_t hash, std::uint32_t number,
                                      std::uint32_t way_max) {
  SHINGLED_ASSERT(number != 0 && number <= kNumberMax);
  const bool grows = size_ >= grows_at_;
  if (grows) {
    // By a sixteenth, more or less: maps that filled up at the same pace should not all grow at the
    // same time.
    const std::size_t count = table_.bytes() / sizeof(Bucket);
    move_to(count + count / 24 + count / 24 * (hash & 0xff) / 256 + 1);
  }
  const bool placed = view().place(HashParts::print(hash), number, way_max);
  if (placed) ++size_;
  return {.placed = placed, .moved = grows};
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
      SHINGLED_ASSERT(size_ > 0);
      --size_;
      const bool shrinks = size_ < shrinks_at_;
      if (shrinks) move_to(view.bucket_count - view.bucket_count / 4);
      return shrinks;
    }
    if (bucket.passed() == 0) return false;
  }
  return false;
}

void NumberMap::move_to(std::size_t bucket_count) {
  const View from = view();
  // Reserved first: after `show`, a failed push_back would free the old table under its readers.
  retired_.reserve(retired_.size() + 1);
  Pages table = pages_for(bucket_count);
  const View to{static_cast<Bucket*>(table.data()),
                static_cast<std::uint32_t>(table.bytes() / sizeof(Bucket))};
  for (std::uint32_t b = 0; b < from.bucket_count; ++b) {
    const Bucket& bucket = from.buckets[b];
    for (std::size_t i = 0; i < kBucketEntries; ++i) {
      const std::uint32_t entry = bucket.entries[i].load(std::memory_order_relaxed);
      if (entry == 0) continue;
      const bool placed = to.place(bucket.print(i), entry & kNumberMax, kAnyWay);
      SHINGLED_ASSERT(placed);
    }
  }
  retired_.push_back(show(std::move(table)));
}

Pages NumberMap::pages_for(std::size_t bucket_count) {
  const std::size_t pages = (bucket_count + kPageBuckets - 1) / kPageBuckets;
  SHINGLED_ASSERT(pages < std::size_t{1} << kPagesBits);
  return Pages(pages * kPageBytes, Pages::Beside::kTables);
}

Pages NumberMap::show(Pages table) {
  const std::size_t entries = table.bytes() / sizeof(Bucket) * kBucketEntries;
  const auto places = static_cast<double>(entries);
  grows_at_ = static_cast<std::uint32_t>(kLoadMax * places);
  const bool smallest = table.bytes() == kPageBytes;
  shrinks_at_ = smallest ? 0 : static_cast<std::uint32_t>(kLoadMin * places);
  show(table.data(), table.bytes() / kPageBytes);
  return std::exchange(table_, std::move(table));
}

void NumberMap::show(const void* buckets, std::size_t pages) {
  const auto address = reinterpret_cast<std::uintptr_t>(buckets);
  static_assert(sizeof address == 8 && 64 - kPagesBits + 12 == 48, "48 bits of address are kept");
  SHINGLED_ASSERT(address % kPageBytes == 0 && address >> 48 == 0);
  shown_.store(address / kPageBytes << kPagesBits | pages, std::memory_order_release);
}

bool NumberMap::View::place(std::uint32_t print, std::uint32_t number,
                            std::uint32_t way_max) const {
  const std::uint32_t home = this->home(print);
  std::uint32_t b = home;
  for (std::uint32_t way = 0; way <= way_max; ++way, b = next(b)) {
    const std::optional<std::size_t> place = buckets[b].empty_place();
    if (!place) continue;
    for (std::uint32_t passed = home; passed != b; passed = next(passed))
      buckets[passed].add_passed(1);
    buckets[b].put(*place, print, number);
    return true;
  }
  return false;
}

void NumberMap::Bucket::add_passed(int change) {
  SHINGLED_DEBUG_ASSERT(change > 0 || passed() > 0);
  // Two's complement: adding -1 << 32 subtracts one. Only the writer stores here.
  const auto step = static_cast<std::uint64_t>(static_cast<std::int64_t>(change)) << 32;
  prints[2].store(prints[2].load(std::memory_order_relaxed) + step, std::memory_order_release);
}

std::optional<std::size_t> NumberMap::Bucket::empty_place() const {
  for (std::size_t i = 0; i < kBucketEntries; ++i)
    if (entries[i].load(std::memory_order_relaxed) == 0) return i;
  return std::nullopt;
}

void NumberMap::Bucket::put(std::size_t place, std::uint32_t print, std::uint32_t number) {
  const unsigned shift = place % 4 * 16;
  std::atomic<std::uint64_t>& word = prints[place / 4];
  const std::uint64_t others =
      word.load(std::memory_order_relaxed) & ~(std::uint64_t{0xffff} << shift);
  word.store(others | std::uint64_t{print & 0xffff} << shift, std::memory_order_release);
  entries[place].store((print >> 16 << kNumberBits) | number, std::memory_order_release);
}

IndexHash::IndexHash(Random& random) {
  random.fill({reinterpret_cast<std::uint8_t*>(&mask_), sizeof mask_});
  random.fill({reinterpret_cast<std::uint8_t*>(factors_.data()), sizeof factors_});
  for (std::uint64_t& factor : factors_) factor |= 1;
  random.fill(secret_);
}

std::uint64_t IndexHash::of(const Digest& digest) const {
  return XXH3_64bits_withSecret(digest.bytes.data(), digest.bytes.size(), secret_.data(),
                                secret_.size());
}

}  // namespace shingled::storage::engine
