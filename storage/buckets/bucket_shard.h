#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/leaky_bucket.h"

namespace shingled::storage::buckets {

using Word = std::uint64_t;

/// One bucket in a BucketArena: 16 bytes, then its key. A view; the arena owns the bytes.
class BucketRecord {
 public:
  static constexpr std::size_t kHeaderBytes = 16;
  static constexpr std::uint8_t kChanged = 1;  ///< the file does not have the current value
  static constexpr std::uint8_t kLowered = 2;  ///< and the file may hold a higher value

  explicit BucketRecord(Word* at) : at_(reinterpret_cast<unsigned char*>(at)) {}
  BucketRecord(Word* at, std::string_view key) : BucketRecord(at) {
    put(kKeyBytesAt, static_cast<std::uint8_t>(key.size()));
    put(kMarksAt, std::uint8_t{0});
    std::memcpy(at_ + kHeaderBytes, key.data(), key.size());
  }

  [[nodiscard]] LeakyBucket bucket() const {
    return LeakyBucket(TimePoint(Duration(get<std::int64_t>(0))));
  }
  void set_bucket(LeakyBucket bucket) {
    put(0, std::int64_t{bucket.empty_at().time_since_epoch().count()});
  }
  // The era tells `give_back` whether its drops are still where they were. The upper bits number
  // the buckets that had this name. The lower kMovesBits bits count how often drops moved up
  // because others were given back; this count saturates.
  static constexpr int kMovesBits = 12;
  static constexpr std::uint32_t kMovesMax = (1U << kMovesBits) - 1;
  [[nodiscard]] std::uint32_t era() const { return get<std::uint32_t>(kEraAt); }
  void set_era(std::uint32_t era) { put(kEraAt, era); }
  void note_move() {
    if ((era() & kMovesMax) != kMovesMax) set_era(era() + 1);
  }
  [[nodiscard]] std::uint16_t rate() const { return get<std::uint16_t>(kRateAt); }
  void set_rate(std::uint16_t rate) { put(kRateAt, rate); }
  [[nodiscard]] std::uint8_t marks() const { return get<std::uint8_t>(kMarksAt); }
  void set_marks(std::uint8_t marks) { put(kMarksAt, marks); }
  [[nodiscard]] std::string_view key() const {
    return {reinterpret_cast<const char*>(at_ + kHeaderBytes), get<std::uint8_t>(kKeyBytesAt)};
  }

 private:
  static constexpr std::size_t kEraAt = 8;
  static constexpr std::size_t kRateAt = 12;
  static constexpr std::size_t kKeyBytesAt = 14;
  static constexpr std::size_t kMarksAt = 15;
  static_assert(sizeof(TimePoint::rep) == sizeof(std::int64_t));

  template <typename T>
  [[nodiscard]] T get(std::size_t offset) const {
    T value;
    std::memcpy(&value, at_ + offset, sizeof value);
    return value;
  }
  template <typename T>
  void put(std::size_t offset, T value) {
    std::memcpy(at_ + offset, &value, sizeof value);
  }

  unsigned char* at_;
};

/// The memory for the records of a shard: words of 8 bytes in chunks that never move. A freed place
/// is used again for a record of the same size. When too much of the arena is free, its owner
/// copies the records into a new one.
/// Threads: one thread.
/// Cost: at most 7 bytes of padding per record.
class BucketArena {
 public:
  /// Returns a place for a record with a key of that size. Never 0.
  std::uint32_t allocate(std::size_t key_bytes);
  void release(std::uint32_t place, std::size_t key_bytes);

  [[nodiscard]] Word* at(std::uint32_t place) const {
    return &chunks_[place / kChunkWords][place % kChunkWords];
  }
  [[nodiscard]] BucketRecord record(std::uint32_t place) const { return BucketRecord(at(place)); }
  [[nodiscard]] std::size_t words_free() const { return words_free_; }
  [[nodiscard]] std::size_t words_used() const { return words_used_; }

 private:
  static constexpr std::uint32_t kChunkWords = 2048;  // 16 KiB
  static constexpr std::size_t kWordsMax = 34;        // per record: a key has 255 bytes at most
  static std::size_t words_for(std::size_t key_bytes) {
    return (BucketRecord::kHeaderBytes + key_bytes + 7) / 8;
  }

  std::vector<std::unique_ptr<Word[]>> chunks_;  // NOLINT(*-avoid-c-arrays)
  std::uint32_t end_ = 1;                        // place 0 means: no record
  // The first free place of each size in words; each free place holds the number of the next one.
  std::vector<std::uint32_t> free_ = std::vector<std::uint32_t>(kWordsMax + 1, 0);
  std::size_t words_free_ = 0;
  std::size_t words_used_ = 0;
};

/// A part of a BucketTable: buckets by name, a hash table with open addressing over an arena.
///
/// Bound: `most` buckets. Each insertion looks at the next kSweep slots and drops the empty buckets
/// there. If the shard is still full, it compares the next kSample buckets and evicts the one that
/// will be empty first. The samples go round in the order of a keyed hash, so the victim is among
/// the emptier half with probability 1 - 2^-16, and among the emptiest fifth with 97 %. If the
/// kRunMax slots from the home slot of a new bucket are all in use, the emptiest bucket of these is
/// evicted. With a keyed hash this does not happen: the longest run of a million buckets has a few
/// hundred slots.
///
/// Threads: one thread.
/// Cost: 27 to 37 bytes per bucket, and its key rounded up to 8 bytes; a look-up reads one cache
/// line of the index and one or two of the record.
class BucketShard {
 public:
  static constexpr std::size_t kSample = 16;  ///< buckets compared to choose the victim
  static constexpr std::size_t kSweep = 4;    ///< slots searched for empty buckets per insertion
  static constexpr std::size_t kRunMax = 1024;

  explicit BucketShard(std::size_t most) : most_(most) {}

  /// Returns the place of a bucket, 0 if it is not there. A place is valid until the next `insert`,
  /// `erase` or `walk`.
  [[nodiscard]] std::uint32_t find(std::uint32_t hash, std::string_view key) const;
  /// Makes a bucket that `find` did not find. Returns its place.
  std::uint32_t insert(std::uint32_t hash, std::string_view key, LeakyBucket bucket,
                       const LeakRate& rate, TimePoint now);
  void erase(std::uint32_t hash, std::string_view key);
  [[nodiscard]] BucketRecord at(std::uint32_t place) const { return arena_.record(place); }

  /// Starts a new era: drops that were taken before can no longer be given back.
  void renew(std::uint32_t place) { at(place).set_era(++births_ << BucketRecord::kMovesBits); }
  void set_rate(std::uint32_t place, const LeakRate& rate) {
    if (rates_[at(place).rate()] != rate) at(place).set_rate(number_of(rate));
  }
  [[nodiscard]] const LeakRate& rate_of(std::uint32_t place) const {
    return rates_[at(place).rate()];
  }

  /// Calls `see` for each bucket in `places` slots of the index, from slot `first` on, and erases
  /// the bucket if `see` returns kGoes. Returns the slot to continue with; 0 means the end.
  enum class Fate : std::uint8_t { kStays, kGoes };
  using See = std::function<Fate(std::uint32_t place)>;
  std::size_t walk(std::size_t first, std::size_t places, const See& see);

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::uint64_t evictions() const { return evictions_; }
  /// The type of the bucket that the last `insert` evicted; empty if it evicted none.
  [[nodiscard]] const std::string& evicted_type() const { return evicted_type_; }

 private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t place = 0;  // 0 means: the slot is free
  };
  static constexpr std::size_t kSmallest = 16;
  static constexpr std::size_t kRatesMax = 4096;  // a further rate replaces the last one

  [[nodiscard]] std::size_t mask() const { return index_.size() - 1; }
  [[nodiscard]] std::size_t slot_of(std::uint32_t hash, std::string_view key) const;
  std::uint16_t number_of(const LeakRate& rate);
  void erase_slot(std::size_t slot);
  void resize(std::size_t slots);
  void compact();
  void make_room(TimePoint now);
  void drop_some_empty(TimePoint now);
  void evict(TimePoint now);
  void shorten_run(std::size_t home, TimePoint now);
  void evict_slot(std::size_t slot, TimePoint now);
  [[nodiscard]] bool may_go(const BucketRecord& record, TimePoint now) const {
    return record.bucket().is_empty(now) && (record.marks() & BucketRecord::kLowered) == 0;
  }

  const std::size_t most_;
  std::vector<Entry> index_;  // its size is a power of two, at most three quarters are in use
  std::size_t count_ = 0;
  std::size_t hand_ = 0;  // the slot where the next sweep or sample begins
  std::uint32_t births_ = 0;
  std::uint64_t evictions_ = 0;
  std::string evicted_type_;
  std::vector<LeakRate> rates_;
  BucketArena arena_;
};

}  // namespace shingled::storage::buckets
