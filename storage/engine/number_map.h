#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "config/base/prefetch.h"
#include "config/base/random.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/engine/pages.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::engine {

inline constexpr unsigned kNumberBits = 26;
/// Record numbers are 1 to kNumberMax; 0 marks an empty place.
inline constexpr std::uint32_t kNumberMax = (1U << kNumberBits) - 1;

/// How the 64 bits of a hash are used, from the highest: 6 bits choose the map (shard), 22 bits are
/// in the entry (print), the lowest 32 are in the record (low). The four bits between print and low
/// are not kept.
struct HashParts {
  static constexpr unsigned kShardBits = 6;
  static constexpr unsigned kPrintBits = 22;
  static constexpr unsigned kPrintShift = 64 - kShardBits - kPrintBits;

  static std::size_t shard(std::uint64_t hash) { return hash >> (64 - kShardBits); }
  static std::uint32_t print(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> kPrintShift) & ((1U << kPrintBits) - 1);
  }
  static std::uint32_t low(std::uint64_t hash) { return static_cast<std::uint32_t>(hash); }
};

/// Hash -> record numbers, several per hash. Open addressing over buckets of one cache line, 6
/// bytes per entry (26 bits of number, 22 bits of print). The place depends on the print alone and
/// keeps its order, so the map can move its entries without reading the records, from front to back
/// through memory.
///
/// Growth: by about a sixteenth, into new memory, while readers continue in the old one. Shards
/// keep each step short (1 ms if the whole index has ten million records). The map shrinks in the
/// same way. Each bucket counts the entries that found it full and went further. So a search knows
/// when to stop, and no entry is ever marked as deleted.
///
/// An empty map has no memory of its own.
///
/// Threads: one writer; readers under a ReadGate::Pass. Replaced memory stays readable until
/// `free_retired`, which the writer calls after ReadGate::wait_for_readers. A reader that runs at
/// the same time as an insert or erase may or may not see its effect.
class alignas(64) NumberMap {
  struct Bucket;
  struct View;

 public:
  NumberMap();

  /// Makes room for `count` entries. Only for an empty map that has no reader yet.
  void reserve(std::size_t count);
  /// How many buckets an entry may be away from its home. It is more than any run that random
  /// hashes make, and enough for the most owners that a slot may have.
  static constexpr std::uint32_t kWayMax = 128;
  static constexpr std::uint32_t kAnyWay = UINT32_MAX;

  struct Inserted {
    bool placed = false;  ///< false: no free place within `way_max` buckets
    bool moved = false;   ///< the map has new memory; the old one waits for `free_retired`
  };
  Inserted insert(std::uint64_t hash, std::uint32_t number, std::uint32_t way_max = kWayMax);
  /// Removes one entry; does nothing if it is not there. True: the map has moved to new memory.
  bool erase(std::uint64_t hash, std::uint32_t number);
  void free_retired() { retired_.clear(); }

  /// A look-up in steps of one bucket each, so that several look-ups can wait for the memory
  /// together: every step starts to bring the bucket of the next step into the cache.
  class Search {
   public:
    Search() = default;
    Search(const NumberMap& map, std::uint64_t hash);
    /// Calls `each` with the numbers in this bucket whose print is equal; they are candidates that
    /// must be verified.
    /// True: there is another bucket to look at.
    template <typename Each>
    bool step(const Each& each);

   private:
    const Bucket* buckets_ = nullptr;
    std::uint32_t bucket_count_ = 0;
    std::uint32_t at_ = 0;
    std::uint32_t left_ = 0;
    std::uint32_t print_ = 0;
  };
  /// Does all steps of a look-up.
  template <typename Each>
  void for_each_candidate(std::uint64_t hash, const Each& each) const {
    Search search(*this, hash);
    while (search.step(each)) {
    }
  }

  /// Starts to bring the first bucket of `hash` into the cache.
  void prefetch(std::uint64_t hash) const { static_cast<void>(Search(*this, hash)); }

 private:
  static constexpr std::size_t kBucketEntries = 10;
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t kPageBuckets = kPageBytes / 64;
  /// Load at which the map grows. Between 0.71 (just grown) and 0.75 an entry costs 8.8 bytes. With
  /// 0.92 it would be 7.2 bytes, but then a miss often looks at a second bucket and takes twice as
  /// long.
  static constexpr double kLoadMax = 0.75;
  static constexpr double kLoadMin = 0.5;  ///< load at which the map shrinks

  /// One cache line. `prints`: 16 bits of the print of each of ten places, then 32 bits with the
  /// number of entries that went further. `entries`: number and the other 6 bits of the print; 0 =
  /// empty.
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, 3> prints;
    std::array<std::atomic<std::uint32_t>, kBucketEntries> entries;

    /// The print of an entry that is not empty. For the writer.
    [[nodiscard]] std::uint32_t print(std::size_t place) const {
      const std::uint64_t word = prints[place / 4].load(std::memory_order_relaxed);
      return entries[place].load(std::memory_order_relaxed) >> kNumberBits << 16 |
             (static_cast<std::uint32_t>(word >> (place % 4 * 16)) & 0xffff);
    }
    [[nodiscard]] std::uint32_t passed() const {
      return static_cast<std::uint32_t>(prints[2].load(std::memory_order_acquire) >> 32);
    }
    [[nodiscard]] std::optional<std::size_t> empty_place() const;
    void add_passed(int change);
    void put(std::size_t place, std::uint32_t print, std::uint32_t number);
  };
  static_assert(sizeof(Bucket) == 64);

  /// The address and number of the buckets. They are packed into one word: a reader gets both of
  /// the same table, and the words of two thousand maps fit into the cache.
  struct View {
    Bucket* buckets = nullptr;
    std::uint32_t bucket_count = 0;

    /// The bucket where a search for a print begins: scaled to the number of buckets, which keeps
    /// the order.
    [[nodiscard]] std::uint32_t home(std::uint32_t print) const {
      return static_cast<std::uint32_t>((std::uint64_t{print} * bucket_count) >>
                                        HashParts::kPrintBits);
    }
    [[nodiscard]] std::uint32_t next(std::uint32_t bucket) const {
      return bucket + 1 == bucket_count ? 0 : bucket + 1;
    }
    /// False: there is no free place within `way_max` buckets.
    [[nodiscard]] bool place(std::uint32_t print, std::uint32_t number,
                             std::uint32_t way_max) const;
  };
  static constexpr unsigned kPagesBits = 28;
  [[nodiscard]] View view() const;
  /// Makes a new table of at least `bucket_count` buckets, and moves the entries into it.
  void move_to(std::size_t bucket_count);
  [[nodiscard]] static Pages pages_for(std::size_t bucket_count);
  /// Makes `table` the current one and shows it to readers. Returns the old one.
  Pages show(Pages table);
  void show(const void* buckets, std::size_t pages);
  /// Has bit 0 of each 16-bit lane set if that lane of `prints` equals the low 16 bits of `print`.
  /// Exact.
  static std::uint64_t equal_lanes(std::uint64_t prints, std::uint32_t print) {
    constexpr std::uint64_t kOnes = 0x0001000100010001;
    constexpr std::uint64_t kRest = 0x7fff7fff7fff7fff;
    const std::uint64_t different = prints ^ (kOnes * (print & 0xffff));
    return ~(((different & kRest) + kRest) | different | kRest) >> 15;
  }

  std::atomic<std::uint64_t> shown_{0};  ///< a packed View: the table that readers see
  Pages table_;
  std::vector<Pages> retired_;
  std::uint32_t size_ = 0;
  std::uint32_t grows_at_ = 0;    ///< number of entries, from kLoadMax
  std::uint32_t shrinks_at_ = 0;  ///< number of entries, from kLoadMin
};

inline NumberMap::View NumberMap::view() const {
  const std::uint64_t word = shown_.load(std::memory_order_acquire);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the low bits of a page address hold the count
  return {reinterpret_cast<Bucket*>((word >> kPagesBits) * kPageBytes),
          static_cast<std::uint32_t>((word & ((1U << kPagesBits) - 1)) * kPageBuckets)};
}

inline NumberMap::Search::Search(const NumberMap& map, std::uint64_t hash)
    : print_(HashParts::print(hash)) {
  const View view = map.view();
  buckets_ = view.buckets;
  bucket_count_ = view.bucket_count;
  left_ = bucket_count_;
  at_ = view.home(print_);
  prefetch_line(&buckets_[at_]);
}

template <typename Each>
bool NumberMap::Search::step(const Each& each) {
  const Bucket& bucket = buckets_[at_];
  std::uint64_t word = 0;
  for (std::size_t w = 0; w < bucket.prints.size(); ++w) {
    word = bucket.prints[w].load(std::memory_order_acquire);
    std::uint64_t equal = equal_lanes(word, print_);
    if (w == 2) equal &= 0xffffffff;  // the high half is the count
    for (; equal != 0; equal &= equal - 1) {
      const auto place = w * 4 + static_cast<std::size_t>(__builtin_ctzll(equal)) / 16;
      const std::uint32_t entry = bucket.entries[place].load(std::memory_order_acquire);
      if (entry != 0 && entry >> kNumberBits == print_ >> 16) each(entry & kNumberMax);
    }
  }
  if (word >> 32 == 0 || --left_ == 0) return false;
  at_ = at_ + 1 == bucket_count_ ? 0 : at_ + 1;
  prefetch_line(&buckets_[at_]);
  return true;
}

/// The slots by which the index finds a record; the other slots are compared once it is found. Two
/// texts that agree in kMatchSlotsMin of kShingleCount slots agree in at least one of any
/// kIndexedSlots slots.
inline constexpr std::size_t kIndexedSlots = kShingleCount - kMatchSlotsMin + 1;

/// Hashes digests and shingles for one index, with a secret of its own: a sender of digests and
/// shingles cannot choose their places.
/// Threads: a value that does not change.
class IndexHash {
 public:
  /// Takes its secret from `random`.
  explicit IndexHash(Random& random);

  /// XXH3, 64 bits, of a digest.
  [[nodiscard]] std::uint64_t of(const Digest& digest) const;
  /// Spreads a shingle over 64 bits; a shingle is a minimum of many hashes, so it is mostly small.
  /// The function is one to one: equal results mean equal shingles.
  [[nodiscard]] std::uint64_t of(std::uint64_t shingle) const {
    shingle = (shingle ^ mask_) * factors_[0];
    shingle ^= shingle >> 32;
    shingle *= factors_[1];
    shingle ^= shingle >> 29;
    return shingle * factors_[2];
  }

 private:
  static constexpr std::size_t kSecretBytes = 192;  ///< XXH3 needs at least 136

  std::uint64_t mask_ = 0;
  std::array<std::uint64_t, 3> factors_{};  ///< odd, so that multiplying is one to one
  std::array<std::uint8_t, kSecretBytes> secret_{};
};

/// The part of 32 shingles that the index compares: the low half of each hash. Two cache lines; the
/// first one has all the indexed slots.
struct alignas(64) SlotLows {
  std::array<std::uint32_t, kShingleCount> of_slot{};

  [[nodiscard]] std::uint32_t equal_slots(const SlotLows& other) const {
    std::uint32_t equal = 0;
    for (std::size_t slot = 0; slot < kShingleCount; ++slot)
      equal += of_slot[slot] == other.of_slot[slot] ? 1U : 0U;
    return equal;
  }
};
static_assert(sizeof(SlotLows) == 128 && kIndexedSlots * sizeof(std::uint32_t) <= 64);

inline SlotLows lows_of(const IndexHash& hash, const Shingles& shingles) {
  SlotLows lows;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot)
    lows.of_slot[slot] = HashParts::low(hash.of(shingles[slot]));
  return lows;
}

}  // namespace shingled::storage::engine
