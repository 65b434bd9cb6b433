#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/buckets/bucket_arena.h"

namespace shingled::storage::buckets {

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
