#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
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

}  // namespace shingled::storage::buckets
