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

/// One bucket as it lies in a BucketArena: 16 bytes, then its key. Lent.
class BucketRecord {
 public:
  static constexpr std::size_t kHeaderBytes = 16;
  static constexpr std::uint8_t kChanged = 1;  ///< not in the file as it is here
  static constexpr std::uint8_t kLowered = 2;  ///< and in the file it may stand higher

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
  /// In the upper bits which bucket of this name it is, in the lower ones how often its drops moved
  /// up because others were given back; that saturates.
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

/// Where a shard's records lie: words of 8 bytes in chunks that never move. What was freed is used
/// again for records of the same size; the owner copies what lives into a new arena when too much
/// of this one lies idle.
/// Threads: one thread.
/// Cost: at most 7 bytes a record.
class BucketArena {
 public:
  /// A place for a record with a key of that size. Never 0.
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
  static constexpr std::size_t kWordsMax = 34;        // of a record: a key has 255 bytes at most
  static std::size_t words_for(std::size_t key_bytes) {
    return (BucketRecord::kHeaderBytes + key_bytes + 7) / 8;
  }

  std::vector<std::unique_ptr<Word[]>> chunks_;  // NOLINT(*-avoid-c-arrays)
  std::uint32_t end_ = 1;                        // 0 is nowhere
  std::vector<std::uint32_t> free_ = std::vector<std::uint32_t>(kWordsMax + 1, 0);  // by words
  std::size_t words_free_ = 0;
  std::size_t words_used_ = 0;
};

/// A part of a BucketTable: buckets by name, in open addressing over an arena.
///
/// Bound: `most` buckets. Each new one looks at a few others in turn and drops those that are
/// empty; when there is no room it takes the place of the one of kSample others that will be empty
/// first. The samples go round, in the order of a keyed hash, so the victim is among the emptier
/// half with 1 - 2^-16, and among the emptiest fifth with 97 %. No bucket is put further than
/// kRunMax places from where its hash says: there the emptiest of these goes instead. With a hash
/// that is keyed that never happens; a run of a few hundred is the longest a million buckets have.
///
/// Threads: one thread.
/// Cost: 27 to 37 bytes a bucket and its key, rounded up to 8 bytes; a look-up reads one line of
/// the index and one or two of the record.
class BucketShard {
 public:
  static constexpr std::size_t kSample = 16;  ///< looked at to find whom to evict
  static constexpr std::size_t kSweep = 4;    ///< places looked at a new bucket
  static constexpr std::size_t kRunMax = 1024;

  explicit BucketShard(std::size_t most) : most_(most) {}

  /// 0: there is none. A place holds until the next `insert`, `erase` or `sweep`.
  [[nodiscard]] std::uint32_t find(std::uint32_t hash, std::string_view key) const;
  /// Makes one that `find` has not found.
  std::uint32_t insert(std::uint32_t hash, std::string_view key, LeakyBucket bucket,
                       const LeakRate& rate, TimePoint now);
  void erase(std::uint32_t hash, std::string_view key);
  [[nodiscard]] BucketRecord at(std::uint32_t place) const { return arena_.record(place); }

  /// A bucket begins anew: nothing that was taken before is in it.
  void renew(std::uint32_t place) { at(place).set_era(++births_ << BucketRecord::kMovesBits); }
  void set_rate(std::uint32_t place, const LeakRate& rate) {
    if (rates_[at(place).rate()] != rate) at(place).set_rate(number_of(rate));
  }
  [[nodiscard]] const LeakRate& rate_of(std::uint32_t place) const {
    return rates_[at(place).rate()];
  }

  /// So many places of the index, beginning with number `first`: what `see` says of each bucket is
  /// done. Gives the number to go on with; 0 = that was all.
  enum class Fate : std::uint8_t { kStays, kGoes };
  using See = std::function<Fate(std::uint32_t place)>;
  std::size_t walk(std::size_t first, std::size_t places, const See& see);

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::uint64_t evictions() const { return evictions_; }
  /// The type of the bucket that `insert` evicted last; empty = none was.
  [[nodiscard]] const std::string& evicted_type() const { return evicted_type_; }

 private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t place = 0;  // 0 = free
  };
  static constexpr std::size_t kSmallest = 16;
  static constexpr std::size_t kRatesMax = 4096;  // then the last one's number is used again

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
  std::vector<Entry> index_;  // a power of two of them, at most three quarters in use
  std::size_t count_ = 0;
  std::size_t hand_ = 0;  // where the next sweep or sample begins
  std::uint32_t births_ = 0;
  std::uint64_t evictions_ = 0;
  std::string evicted_type_;
  std::vector<LeakRate> rates_;
  BucketArena arena_;
};

}  // namespace shingled::storage::buckets
